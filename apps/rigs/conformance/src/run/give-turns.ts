import { once } from "node:events"
import { createServer, type Socket } from "node:net"

/** A queue that lets a limited number of processes work at a time. */
export interface Turns {
  /** The loopback port that processes connect to. A process has its turn from the first byte received until it disconnects. */
  readonly port: number
  /** Closes the queue. */
  close(): void
}

/** Creates a queue for processes. The scenarios' timeouts require that few run at a time. */
export async function giveTurns(atOnce: number): Promise<Turns> {
  const waiting: Socket[] = []
  let working = 0
  const next = (): void => {
    const socket = working < atOnce ? waiting.shift() : undefined
    if (socket === undefined) return
    working += 1
    socket.on("close", () => {
      working -= 1
      next()
    })
    if (socket.destroyed) socket.emit("close")
    else socket.write("go")
  }
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    waiting.push(socket)
    next()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("no port is free")
  return {
    port: address.port,
    close: () => server.close(),
  }
}
