import { serveFixture } from "./serve-fixture.js"

/** The parts of Bun that this file uses. */
declare const Bun: {
  serve(options: {
    readonly hostname: string
    readonly port: number
    readonly idleTimeout: number
    readonly fetch: (request: Request) => Promise<Response>
  }): { readonly port: number; stop(closeActive: boolean): Promise<void> }
}

const fixture = serveFixture()
// A stream may be silent for longer than Bun's ten seconds.
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: fixture.fetch })
console.log(server.port)

process.once("SIGTERM", async () => {
  const open = await fixture.close()
  await server.stop(true)
  if (open.length > 0) console.error(`left open: ${open.join(", ")}`)
  process.exit(open.length === 0 ? 0 : 1)
})
