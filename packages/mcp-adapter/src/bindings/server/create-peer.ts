import type { Peer } from "../../calls/peer.js"

/** How long a client may take to answer, in milliseconds: there may be a person behind it. */
export const ANSWER_TIME = 600_000

/** How one request of an SDK reaches its client. */
export interface PeerWays {
  /** Aborts when the client wants to hear no more. */
  readonly signal: AbortSignal
  /** Sends a notification that belongs to the request. */
  notify(message: PeerMessage): Promise<void>
  /** Sends a log message. */
  log(...message: Parameters<Peer["log"]>): Promise<void>
  /** Asks for something; absent where a server cannot ask. */
  readonly request?: (message: PeerMessage) => Promise<Readonly<Record<string, unknown>>>
  /** Told when something could not be sent. */
  failed(error: Error): void
}

/** A method and its parameters. A `type` so that SDK types accept it. */
export type PeerMessage = {
  /** The method. */
  method: string
  /** Its parameters. */
  params?: Record<string, unknown>
}

/** The client behind one request, until the request is answered. */
export function createPeer({ signal, notify, log, request, failed }: PeerWays): { readonly peer: Peer; end(): void } {
  let open = true
  const send = (message: () => Promise<void>): void => {
    if (open && !signal.aborted) message().catch(failed)
  }
  const ask: Peer["request"] = async (method, params) => {
    if (request !== undefined && open) return request(toMessage(method, params))
    throw new Error(`"${method}" was not asked: the request it belongs to has been answered`)
  }
  return {
    peer: {
      notify: (method, params) => send(() => notify(toMessage(method, params))),
      log: (...message) => send(() => log(...message)),
      ...(request && { request: ask }),
    },
    end() {
      open = false
    },
  }
}

function toMessage(method: string, params: Readonly<Record<string, unknown>> | undefined): PeerMessage {
  return { method, ...(params && { params: { ...params } }) }
}
