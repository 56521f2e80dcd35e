import type { Report } from "../runtime/diagnostic.js"
import { once } from "./once.js"

/** Counts the listen streams of each client. */
export interface ListenLimit {
  /**
   * Takes one more; `undefined` where the client has as many as it may.
   *
   * @returns Gives it back; idempotent.
   */
  take(client: string): (() => void) | undefined
}

/** Nobody listens yet. The operator is told once for as long as a client stands at its limit. */
export function createListenLimit(max: number, report: Report): ListenLimit {
  const clients = new Map<string, { streams: number; told: boolean }>()
  return {
    take(name) {
      const client = clients.get(name) ?? { streams: 0, told: false }
      if (client.streams >= max) {
        if (!client.told) report({ code: "listen_limit", message: toMessage(name, max) })
        client.told = true
        return undefined
      }
      client.streams += 1
      clients.set(name, client)
      return once(() => {
        client.streams -= 1
        client.told = false
        if (client.streams === 0) clients.delete(name)
      })
    },
  }
}

function toMessage(name: string, max: number): string {
  return `the client "${name}" has ${max} listen streams open and wanted another: raise the option "maxListens" if it may`
}
