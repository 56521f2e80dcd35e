import { join } from "node:path"
import type { JSONRPCMessage } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

/** The fixtures in a child process, reached over stdio with raw messages. */
export interface Pipe {
  /** Sends a message. */
  send(message: JSONRPCMessage): void
  /** Ends the process. */
  close(): Promise<void>
}

/** Starts the process. */
export async function openPipe(received: (message: JSONRPCMessage) => void): Promise<Pipe> {
  const program = join(import.meta.dirname, "..", "serve.js")
  const transport = new StdioClientTransport({ command: process.execPath, args: [program] })
  transport.onmessage = received
  await transport.start()
  return {
    send: (message) => void transport.send(message).catch(console.error),
    close: () => transport.close(),
  }
}
