import type { Client, McpSubscription } from "@modelcontextprotocol/client"
import type { Calls } from "../calls/call-tool.js"
import { createPerSecond } from "../life/per-second.js"
import { reasonOf, type Session } from "../life/session.js"
import type { OwnPeer } from "../peer.js"
import type { Askable, UpstreamEvent } from "../upstream.js"
import type { FollowedLists } from "./follow-lists.js"
import type { Members } from "./members.js"

/** The listeners to a server's notifications and requests. */
export interface Ears {
  /** Rereads changed lists. */
  readonly lists: Pick<FollowedLists, "changed">
  /** Receives new values of states. */
  readonly members: Pick<Members, "updated">
  /** Receives new values of other resources. */
  readonly peer: Pick<OwnPeer, "updated">
  /** Receives events. */
  emit(event: UpstreamEvent): void
  /** Passes a log message to the caller it belongs to. */
  readonly log: Calls["log"]
  /** The kinds of requests that the server may make. Default: none, also for the application's own client. */
  readonly mayAsk?: readonly Askable[]
  /** Answers the server's requests. Absent for a client that the application created. */
  readonly ask?: Calls["ask"]
}

/** The method of each kind. */
const METHODS = { elicitation: "elicitation/create", sampling: "sampling/createMessage", roots: "roots/list" } as const

/** The most log messages reported per second. */
const MOST_LOGS = 100

/** The most faults reported per connection. */
const TOLD_FAULTS = 20

/** Handles a server's notifications and requests. */
export function hear(client: Client, { lists, members, peer, emit, log, ask, mayAsk = [] }: Ears): void {
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
  if (ask === undefined) return
  for (const kind of mayAsk)
    client.setRequestHandler(
      METHODS[kind],
      // The SDK validates the answer against the method's schema.
      (request, { mcpReq }) => ask(client, request, mcpReq.id) as Promise<never>,
    )
  client.onerror = (error) => {
    // A late answer, or late progress of a cancelled call, has no receiver.
    if (/unknown (message ID|token)/.test(error.message)) return
    faults += 1
    if (faults <= TOLD_FAULTS) emit({ type: "diagnostic", code: "malformed", message: reasonOf(error) })
  }
}

/** Subscribes to resources at a server, in the way of its era, and again on each connection. */
export interface FollowedResources {
  /** Subscribes to a resource. @returns An idempotent function that unsubscribes. */
  follow(uri: string): () => void
  /** Moves to a new session. */
  begin(session: Session): void
}

/** Options of {@link followResources}. */
export interface FollowResourcesOptions {
  /** Called when a listen stream breaks, since changes may have been missed. */
  broken(session: Session): void
  /** Called with the error when listening fails. */
  failed(cause: unknown): void
}

/** Creates the subscriptions of an upstream. Lists that announce changes are listened to even without any subscription. */
export function followResources({ broken, failed }: FollowResourcesOptions): FollowedResources {
  const wanted = new Map<string, number>()
  let session: Session | undefined
  let listen: Promise<McpSubscription | undefined> = Promise.resolve(undefined)
  let planned = false

  const subscribes = (): boolean => session?.client.getServerCapabilities()?.resources?.subscribe === true
  /** One stream carries all subscriptions. When they change, a new stream opens before the former closes. */
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
