import { AdapterError } from "../adapter-error.js"
import type { Extension } from "./extension.js"

/**
 * Refuses an extension that answers what is not its to answer, when the server is set up and not at the first request.
 *
 * @throws AdapterError `invalid_option`.
 */
export function checkExtension({ methods = {} }: Extension = {}): void {
  for (const method of Object.keys(methods)) {
    const reason = RESERVED[method]
    if (reason === undefined) continue
    throw new AdapterError("invalid_option", `the extension has the method "${method}", which ${reason}`)
  }
}

const CONNECTION = "belongs to the connection: take it out"
const SUBSCRIPTION = 'is answered for every URI that its "hasResource" knows: take it out'

const RESERVED: Readonly<Record<string, string>> = {
  initialize: CONNECTION,
  ping: CONNECTION,
  "server/discover": CONNECTION,
  "subscriptions/listen": CONNECTION,
  "logging/setLevel": 'is answered where "logging" is announced: take it out',
  "resources/subscribe": SUBSCRIPTION,
  "resources/unsubscribe": SUBSCRIPTION,
}
