import type { Client, McpSubscription } from "@modelcontextprotocol/client"
import type { Calls } from "../calls/call-tool.js"
import { createPerSecond } from "../life/per-second.js"
import { reasonOf, type Session } from "../life/session.js"
import type { OwnPeer } from "../peer.js"
import type { UpstreamEvent } from "../upstream.js"
import type { FollowedLists } from "./follow-lists.js"
import type { Members } from "./members.js"

/** Who hears a server. */
export interface Ears {
  /** Read again when they change. */
  readonly lists: Pick<FollowedLists, "changed">
  /** Told of new values of states. */
  readonly members: Pick<Members, "updated">
  /** Told of new values of other resources. */
  readonly peer: Pick<OwnPeer, "updated">
  /** Told what happens. */
  emit(event: UpstreamEvent): void
  /** Tells the caller it belongs to. */
  readonly log: Calls["log"]
  /** Puts questions; absent where the client is somebody else's. */
  readonly elicit?: Calls["elicit"]
}

/** How many log messages are told within a second. */
const MOST_LOGS = 100

/** How many faults of one connection are told. */
const TOLD_FAULTS = 20

/** Hears what a server says of itself. */
export function hear(client: Client, { lists, members, peer, emit, log, elicit }: Ears): void {
  let faults = 0
  client.setNotificationHandler("notifications/tools/list_changed", () => lists.changed("tools"))
  client.setNotificationHandler("notifications/prompts/list_changed", () => lists.changed("prompts"))
  client.setNotificationHandler("notifications/resources/list_changed", () => {
    lists.changed("resources")
    lists.changed("templates")
  })
  client.setNotificationHandler("notifications/resources/updated", ({ params: { uri } }) => {
    if (!members.updated(uri)) peer.updated(uri)
  })
  const passLog = createPerSecond(MOST_LOGS, (count) =>
    emit({ type: "log", level: "warning", data: `(${count} more log messages were left out)` }),
  )
  client.setNotificationHandler("notifications/message", ({ params: { level, logger, data } }) =>
    passLog(() => {
      emit({ type: "log", level, data, ...(logger !== undefined && { logger }) })
      log(client, level, { data, logger })
    }),
  )
  if (elicit === undefined) return
  // An answer has what the question's own schema allows, which is what the SDK's type says.
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => ({
    ...(await elicit(client, params, mcpReq.id)),
  }))
  client.onerror = (error) => {
    // An answer or progress that comes after the call was given up reaches nobody.
    if (/unknown (message ID|token)/.test(error.message)) return
    faults += 1
    if (faults <= TOLD_FAULTS) emit({ type: "diagnostic", code: "malformed", message: reasonOf(error) })
  }
}

/** Tells a server which resources somebody wants to hear of, in the way of its era, and again after each connection. */
export interface FollowedResources {
  /** Somebody wants to hear of one. @returns Takes that back; idempotent. */
  follow(uri: string): () => void
  /** Goes on with another session. */
  begin(session: Session): void
}

/** What following takes. */
export interface FollowResourcesOptions {
  /** Told that a listen stream broke off: what was missed has to be read again. */
  broken(session: Session): void
  /** Told that somebody hears of nothing, and why. */
  failed(cause: unknown): void
}

/** Nobody wants to hear of anything; lists that announce changes are listened to in any case. */
export function followResources({ broken, failed }: FollowResourcesOptions): FollowedResources {
  const wanted = new Map<string, number>()
  let session: Session | undefined
  let listen: Promise<McpSubscription | undefined> = Promise.resolve(undefined)
  let planned = false

  const subscribes = (): boolean => session?.client.getServerCapabilities()?.resources?.subscribe === true
  /** One stream has all; with other URIs it is another stream, which is there before the former ends. */
  const listenAnew = (): void => {
    const now = session
    if (now?.era !== "modern") return
    const before = listen
    listen = openListen(now, subscribes() ? [...wanted.keys()] : [], broken).catch((cause: unknown) => {
      failed(cause)
      return undefined
    })
    void listen
      .then(() => before)
      .then((stream) => stream?.close())
      .catch(() => undefined)
  }
  const plan = (): void => {
    if (planned) return
    planned = true
    queueMicrotask(() => {
      planned = false
      listenAnew()
    })
  }
  const tell = (uri: string, wants: boolean): void => {
    if (session === undefined || !subscribes()) return
    const { client, era } = session
    if (era === "modern") plan()
    else (wants ? client.subscribeResource({ uri }) : client.unsubscribeResource({ uri })).catch(failed)
  }
  return {
    follow(uri) {
      const count = wanted.get(uri) ?? 0
      wanted.set(uri, count + 1)
      if (count === 0) tell(uri, true)
      let follows = true
      return () => {
        if (!follows) return
        follows = false
        const left = (wanted.get(uri) ?? 1) - 1
        if (left > 0) {
          wanted.set(uri, left)
          return
        }
        wanted.delete(uri)
        tell(uri, false)
      }
    },
    begin(next) {
      session = next
      listen = Promise.resolve(undefined)
      if (next.era === "modern") listenAnew()
      else if (subscribes()) for (const uri of wanted.keys()) tell(uri, true)
    },
  }
}

async function openListen(
  session: Session,
  uris: string[],
  broken: (session: Session) => void,
): Promise<McpSubscription | undefined> {
  const { tools, prompts, resources } = session.client.getServerCapabilities() ?? {}
  const filter = {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
  if (Object.keys(filter).length === 0) return undefined
  const stream = await session.client.listen(filter)
  void stream.closed.then((how) => {
    if (how !== "local") broken(session)
  })
  return stream
}
