import { once } from "node:events"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeProject, startCommand } from "./project.fixture.js"

/** Listens on the socket of `npm run dev`. */
async function listenIn(folder: string, greet: (socket: Socket) => void) {
  const server = createServer((socket) => greet(socket.on("error", () => {})))
  // Long paths are rejected.
  server.listen(relative(process.cwd(), join(folder, "node_modules", ".npm-run-dev")))
  await once(server, "listening")
  onTestFinished(() => void server.close())
}

describe.skipIf(process.platform === "win32")("npm run dev", () => {
  it.each([
    ["answers nothing", () => {}],
    ["answers with controls of the terminal", (socket: Socket) => socket.end("\u001b]0;owned\u0007\u001b[2J")],
    ["never stops answering", (socket: Socket) => socket.write("1".repeat(100_000))],
  ] as const)("exits at once with its own message if a peer %s", async (_, greet) => {
    const folder = makeProject()
    await listenIn(folder, greet)

    const second = startCommand(folder, "dev.mjs")

    expect((await second.ended)[0]).toBe(1)
    expect(second.said()).toBe("npm run dev already runs in this folder and applies your changes: end it first.\n")
  })

  it("names the process that is already running", async () => {
    const folder = makeProject()
    await listenIn(folder, (socket) => socket.end("4711"))

    const second = startCommand(folder, "dev.mjs")

    expect((await second.ended)[0]).toBe(1)
    expect(second.said()).toContain("end process 4711 first")
  })

  it("names the folder that is in the way", async () => {
    const folder = makeProject()
    mkdirSync(join(folder, "node_modules", ".npm-run-dev"))

    const started = startCommand(folder, "dev.mjs")

    expect((await started.ended)[0]).toBe(1)
    expect(started.said()).toBe("node_modules/.npm-run-dev is in the way of npm run dev: remove it\n")
  })

  it("starts again after another was killed", async () => {
    const folder = makeProject()
    symlinkSync(
      dirname(dirname(fileURLToPath(import.meta.resolve("typescript")))),
      join(folder, "node_modules", "typescript"),
    )
    writeFileSync(join(folder, "tsconfig.json"), '{ "files": ["wrong.ts"] }')
    writeFileSync(join(folder, "wrong.ts"), 'export const wrong: number = "text"')
    const first = startCommand(folder, "dev.mjs")
    await first.says(/(error TS)/)
    first.kill()
    await first.ended

    const second = startCommand(folder, "dev.mjs")
    await second.says(/(error TS)/)

    second.child.kill("SIGTERM")
    await second.ended
    expect(second.said()).not.toContain("npm run dev")
  })
})
