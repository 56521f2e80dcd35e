// The child process of shutdown tests: a service that owns its process and holds a timer forever.
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { serveStdio } from "@x/mcp-adapter/stdio"

setInterval(() => {}, 1_000)
const service = createAgenticService({
  name: "slow",
  actions: {
    pause: action({
      description: "Take a moment",
      execute: (_, { progress }) => {
        progress({ progress: 1 })
        return new Promise((resolve) => setTimeout(() => resolve("paused"), 200))
      },
    }),
    chat: action({
      description: "Print to standard output",
      execute() {
        // biome-ignore lint/suspicious/noConsole: this is what must not break the stream.
        console.log("a word")
        process.stdout.write("another\n")
        return "said"
      },
    }),
    hang: action({
      description: "Never return, whatever happens",
      execute: (_, { progress }) => {
        progress({ progress: 1 })
        return new Promise(() => {})
      },
    }),
  },
})
const adapter = createMcpAdapter(service, { calls: { graceMs: 60_000 } })
adapter.events.subscribe(({ diagnostic }) => diagnostic && process.stderr.write(`diagnostic ${diagnostic.code}\n`))
const options = {
  exit: true,
  drainMs: 30_000,
  // Delayed, so that an exit without waiting is noticed.
  onExit: () => new Promise((resolve) => setTimeout(() => process.stderr.write("let go\n", resolve), 50)),
}
if (process.argv[2] === "--http") {
  const { url } = await serveHttp(adapter, { port: 0, ...options })
  process.stdout.write(`${url}\n`)
} else serveStdio(adapter, { ...options, drainMs: Number(process.argv[2] ?? options.drainMs) })
