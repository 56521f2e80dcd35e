// Serves over stdio the service that the parent offers: node serve.mjs <person> <asker | any> <secret>
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { mirrorService } from "@x/service-wire"

const [, , person, answeredBy, secret] = process.argv
const mirror = mirrorService({
  send: (frame) => process.connected && process.send({ frame }),
  listen({ frame, closed }) {
    process.on("message", (message) => frame(message.frame))
    process.once("disconnect", () => closed("the parent process has exited"))
  },
  close: () => process.connected && process.disconnect(),
})
const adapter = createMcpAdapter(mirror, {
  name: "desk",
  calls: { running: 1, graceMs: 10 },
  notices: { windowMs: 0 },
  limits: { readyWaitMs: 30_000 },
  questions: { secret: Buffer.from(secret, "hex"), answeredBy },
})
adapter.events.subscribe((event) => {
  if (event.type === "call-started" && process.connected) process.send({ arrived: event.name })
})
serveStdio(adapter, { principal: { id: person }, exit: true })
