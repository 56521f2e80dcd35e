import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Transport } from "@modelcontextprotocol/client"
import type { AgenticService } from "@x/agentic-service"
import { type Channel, offerService } from "@x/service-wire"
import type { Person } from "./steps.js"

/** Options of a child process. */
interface ChildOptions {
  readonly person: Person
  readonly answeredBy: "asker" | "any"
  readonly secret: string
  /** Called when the process has looked up the name of a call. */
  readonly arrived: (name: string) => void
}

const PROGRAM = fileURLToPath(new URL("serve.mjs", import.meta.url))

/** Starts a process that serves a service of this one over stdio. It gets the service over its own channel. */
export function startChild(service: AgenticService, { person, answeredBy, secret, arrived }: ChildOptions) {
  const child = spawn(process.execPath, [PROGRAM, person, answeredBy, secret], {
    stdio: ["pipe", "pipe", "inherit", "ipc"],
  })
  const exited = once(child, "exit")
  const channel: Channel = {
    // A process that was killed may still count as connected.
    send: (frame) => void (child.connected && child.send({ frame }, () => {})),
    listen({ frame, closed }) {
      child.on("message", (message) => {
        const { frame: text, arrived: name } = Object(message)
        if (typeof text === "string") frame(text)
        if (typeof name === "string") arrived(name)
      })
      child.once("exit", () => closed("the process has exited"))
    },
    close: () => void (child.connected && child.disconnect()),
  }
  offerService(service, channel)
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error("a child process has pipes")
  stdin.on("error", () => {})
  const transport: Transport = {
    async start() {
      createInterface(stdout).on("line", (line) => transport.onmessage?.(JSON.parse(line)))
      child.once("exit", () => transport.onclose?.())
    },
    async send(message) {
      stdin.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      stdin.end()
    },
  }
  return {
    transport,
    async close(): Promise<void> {
      child.kill("SIGKILL")
      await exited
    },
  }
}
