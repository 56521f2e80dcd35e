import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Endpoint } from "../../endpoint.js"
import type { Capabilities } from "../../handlers/methods.js"
import { deliverNotices } from "../server/deliver-notices.js"
import { clientInfoOf } from "../server/to-context.js"
import { type Attached, followServer } from "./create-attachment.js"

/** The notices of one server, for as long as it is ours. */
export interface Notices {
  /** Says whose they are. */
  of(attached: Attached): void
  /**
   * Sends them from now on, once the client says that it is ready (2025-11-25, basic/lifecycle). One that said so before
   * is told that both lists are others now.
   */
  begin(): void
  /** Sends no more, after having told the same again. */
  end(): void
}

/** Where the notices of a server go. */
export interface NoticesOptions {
  /** What is announced. */
  readonly capabilities: Capabilities
  /** Runs when there is nothing more to tell, or nobody to tell it to. */
  ended(): void
}

/** No notices yet. */
export function createNotices(endpoint: Endpoint, server: Server, { capabilities, ended }: NoticesOptions): Notices {
  let source: Attached | undefined
  let ready = false
  let stop = (): void => {}
  let unfollow = (): void => {}
  const start = (): void => {
    if (!ready || source === undefined) return
    stop()
    stop = deliverNotices(endpoint, source.connection, {
      server,
      caller: source.caller,
      ...clientInfoOf(source.caller.leg, server),
      ended,
    })
  }
  return {
    of(attached) {
      source = attached
      start()
    },
    begin() {
      // The SDK has no other way to say whether the client has been there.
      ready = server.transport !== undefined && server.getClientCapabilities() !== undefined
      const onReady = (): void => {
        ready = true
        start()
      }
      unfollow = followServer(server, { ready: onReady, ended })
      if (ready) sendListsChanged(endpoint, server, capabilities)
      start()
    },
    end() {
      unfollow()
      stop()
      if (ready && server.transport !== undefined) sendListsChanged(endpoint, server, capabilities)
    },
  }
}

function sendListsChanged({ host: { report } }: Endpoint, server: Server, { tools, resources }: Capabilities): void {
  const send = (sent: Promise<void>): void => {
    sent.catch((cause: unknown) => report({ code: "transport_failed", message: "a changed list was not told", cause }))
  }
  if (tools.listChanged) send(server.sendToolListChanged())
  if (resources?.listChanged) send(server.sendResourceListChanged())
}
