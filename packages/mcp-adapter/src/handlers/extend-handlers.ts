import type { Extension } from "./extension.js"
import type { Handler, Handlers } from "./handlers.js"
import { METHOD_NOT_FOUND, ProtocolError } from "./protocol-error.js"

/** Puts an extension's handlers in the place of ours, which they are given to call. */
export function extendHandlers(own: Handlers, { methods = {} }: Extension = {}): Handlers {
  const extended = Object.entries(methods).map(([method, extend]) => [method, extend(own[method] ?? notFound)] as const)
  return { ...own, ...Object.fromEntries(extended) }
}

const notFound: Handler = async () => {
  throw new ProtocolError(METHOD_NOT_FOUND, "Method not found")
}
