import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

/** Hears that a client wants to speak something else than HTTP. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** What is used of an HTTP server. */
export interface UpgradeServer {
  /** Hears upgrades. */
  on(event: "upgrade", listener: UpgradeListener): unknown
  /** Stops hearing them. */
  off(event: "upgrade", listener: UpgradeListener): unknown
}

/** Whether a request is for a path, whatever its query. */
function isFor(path: string, { url }: Pick<IncomingMessage, "url">): boolean {
  return url?.split("?", 1)[0] === path
}

/** The listeners of ours on each server. */
const ours = new WeakMap<object, Set<unknown>>()

/**
 * Takes the upgrades of one path, and leaves those of others to others. Nobody else hears of them, whether they listen already or
 * come later: a WebSocket server of `ws` ends every upgrade that is not for its own path, and Next every one of a page that it has.
 * An upgrade that nobody takes is refused: Node leaves it open once anybody listens.
 *
 * @returns Gives them back; idempotent.
 */
export function claimUpgrades(server: UpgradeServer, path: string, listener: UpgradeListener): () => void {
  const own: UpgradeListener = (request, socket, head) => {
    if (isFor(path, request)) listener(request, socket, head)
    else refuseUnlessTaken(server, socket)
  }
  const known = ours.get(server) ?? new Set()
  ours.set(server, known.add(own))
  // Without a listener, Node takes an upgrade for a request.
  server.on("upgrade", own)
  const release = keepFromOthers(server, (request) => isFor(path, request), listener)
  return () => {
    release()
    known.delete(own)
    server.off("upgrade", own)
  }
}

/** Refuses an upgrade that is not ours: at once if nobody else listens, else when nobody has answered in time. */
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

/** How long somebody else on the server may take to answer an upgrade, in milliseconds. */
const UNANSWERED_MS = 10_000

function hasOthers(server: object): boolean {
  const listeners: unknown =
    "listeners" in server && typeof server.listeners === "function" && server.listeners("upgrade")
  return !Array.isArray(listeners) || listeners.some((listener) => !ours.get(server)?.has(listener))
}

/** A connection may have answered requests before. */
function bytesWrittenTo(socket: Duplex): number {
  return "bytesWritten" in socket && typeof socket.bytesWritten === "number" ? socket.bytesWritten : 0
}

/** An event cannot be stopped on its way through its listeners, so it is taken before it goes there. */
function keepFromOthers(
  server: object,
  isOurs: (request: IncomingMessage) => boolean,
  listener: UpgradeListener,
): () => void {
  const emit: unknown = Reflect.get(server, "emit")
  if (typeof emit !== "function") return () => {}
  const inherited = !Object.hasOwn(server, "emit")
  let released = false
  // What Node emits with that event is what a listener of it is given.
  const emitOther = (event: unknown, ...args: readonly unknown[]): unknown => {
    const [request, socket, head] = args as Parameters<UpgradeListener>
    if (released || event !== "upgrade" || !isOurs(request)) return Reflect.apply(emit, server, [event, ...args])
    listener(request, socket, head)
    return true
  }
  Reflect.set(server, "emit", emitOther)
  return () => {
    released = true
    // Somebody may have done the same since; then this one stays, and lets everything pass.
    if (Reflect.get(server, "emit") !== emitOther) return
    if (inherited) Reflect.deleteProperty(server, "emit")
    else Reflect.set(server, "emit", emit)
  }
}
