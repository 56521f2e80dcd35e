import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

/** Handles a client's request to switch to another protocol. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The used part of an HTTP server. */
export interface UpgradeServer {
  /** Adds an upgrade listener. */
  on(event: "upgrade", listener: UpgradeListener): unknown
  /** Removes an upgrade listener. */
  off(event: "upgrade", listener: UpgradeListener): unknown
}

/** Whether a request is for a path, ignoring its query. */
function isFor(path: string, { url }: Pick<IncomingMessage, "url">): boolean {
  return url?.split("?", 1)[0] === path
}

/** This package's listeners per server. */
const ours = new WeakMap<object, Set<unknown>>()

/**
 * Claims the upgrades of one path, and leaves other paths to other listeners. Other listeners do not see the claimed upgrades,
 * whenever they were added: `ws` closes every upgrade outside its own path, and Next each one for a page that it has. Upgrades
 * that no listener answers are rejected, because Node leaves them open as soon as there is any listener.
 *
 * @returns A function that releases the path; idempotent.
 */
export function claimUpgrades(server: UpgradeServer, path: string, listener: UpgradeListener): () => void {
  const own: UpgradeListener = (request, socket, head) => {
    if (isFor(path, request)) listener(request, socket, head)
    else refuseUnlessTaken(server, socket)
  }
  const known = ours.get(server) ?? new Set()
  ours.set(server, known.add(own))
  // Without a listener, Node treats an upgrade as a normal request.
  server.on("upgrade", own)
  const release = keepFromOthers(server, (request) => isFor(path, request), listener)
  return () => {
    release()
    known.delete(own)
    server.off("upgrade", own)
  }
}

/** Rejects an unclaimed upgrade: at once if there are no other listeners, else when nothing has been sent in time. */
function refuseUnlessTaken(server: object, socket: Duplex): void {
  const written = bytesWrittenTo(socket)
  const refuse = (): void => {
    if (socket.destroyed || socket.writableEnded || bytesWrittenTo(socket) !== written) return
    socket.on("error", () => socket.destroy())
    socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", () => socket.destroy())
  }
  if (!hasOthers(server)) {
    refuse()
    return
  }
  const late = setTimeout(refuse, UNANSWERED_MS)
  late.unref()
  socket.once("close", () => clearTimeout(late))
}

/** How long other listeners may take to answer an upgrade, in milliseconds. */
const UNANSWERED_MS = 10_000

function hasOthers(server: object): boolean {
  const listeners: unknown =
    "listeners" in server && typeof server.listeners === "function" && server.listeners("upgrade")
  return !Array.isArray(listeners) || listeners.some((listener) => !ours.get(server)?.has(listener))
}

/** Earlier requests on the connection may have written bytes, too. */
function bytesWrittenTo(socket: Duplex): number {
  return "bytesWritten" in socket && typeof socket.bytesWritten === "number" ? socket.bytesWritten : 0
}

/** Intercepts `emit`, since a listener cannot stop an event from reaching other listeners. */
function keepFromOthers(
  server: object,
  isOurs: (request: IncomingMessage) => boolean,
  listener: UpgradeListener,
): () => void {
  const emit: unknown = Reflect.get(server, "emit")
  if (typeof emit !== "function") return () => {}
  const inherited = !Object.hasOwn(server, "emit")
  let released = false
  // Node passes these arguments to upgrade listeners.
  const emitOther = (event: unknown, ...args: readonly unknown[]): unknown => {
    const [request, socket, head] = args as Parameters<UpgradeListener>
    if (released || event !== "upgrade" || !isOurs(request)) return Reflect.apply(emit, server, [event, ...args])
    listener(request, socket, head)
    return true
  }
  Reflect.set(server, "emit", emitOther)
  return () => {
    released = true
    // If other code has wrapped `emit` since, this wrapper stays and passes every event on.
    if (Reflect.get(server, "emit") !== emitOther) return
    if (inherited) Reflect.deleteProperty(server, "emit")
    else Reflect.set(server, "emit", emit)
  }
}
