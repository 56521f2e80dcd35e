import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"

/**
 * Proxies stdio between a client and a server. The client starts a relay to this process, which starts the server and records
 * their messages in a journal.
 */
export async function tapStdio({ command, args }, journal) {
  const relays = createServer((socket) => {
    const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
    note("client", socket, journal)
    note("server", server.stdout, journal)
    socket.pipe(server.stdin)
    server.stdout.pipe(socket)
    socket.on("error", () => server.stdin.end())
  })
  relays.listen(0, "127.0.0.1")
  await once(relays, "listening")
  const relay = join(import.meta.dirname, "relay.mjs")
  return {
    target: { command: process.execPath, args: [relay, String(relays.address().port)] },
    close: () => relays.close(),
  }
}

function note(from, stream, journal) {
  createInterface(stream).on("line", (line) => journal.add({ from, message: JSON.parse(line) }))
}
