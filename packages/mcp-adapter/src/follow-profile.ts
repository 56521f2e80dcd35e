import type { Principal } from "@x/agentic-service"
import { Observable, Subject, type Subscription } from "rxjs"
import type { ClientInfo } from "./calls/call-context.js"
import type { Connection } from "./endpoint.js"
import type { ServerNotice } from "./handlers/extension.js"
import { type Handler, type Handlers, METHOD_NOT_FOUND, ProtocolError } from "./handlers/handler.js"
import type { Subscriptions } from "./handlers/resources.js"
import type { Profiles, ViewProfile } from "./profiles.js"

/** A connection to the view of one profile. */
export interface ProfiledConnection extends Connection {
  /** The current profile; `undefined` if no profile applies. */
  readonly profile: ViewProfile | undefined
}

/** Options of {@link followProfile}. */
export interface FollowOptions {
  /** The caller; `undefined` if anonymous. */
  readonly principal: Principal | undefined
  /** The client's name and version; `undefined` before it has introduced itself. */
  readonly client: ClientInfo | undefined
  /** Opens a connection to the caller's current view; returns `undefined` if the caller may see nothing. */
  readonly open: (client: ClientInfo | undefined) => ProfiledConnection | undefined
  /** Chooses profiles. */
  readonly profiles: Profiles
}

/**
 * Creates a connection that follows its caller's profile. The profile is looked up for each request, so that a restriction
 * applies from the next request on. Subscriptions continue as far as their resources are still known.
 */
export function followProfile(first: ProfiledConnection, options: FollowOptions): Connection {
  const shown = createShown(first, options)
  const { current } = shown
  const forward = (names: readonly string[], find: () => Handlers): Handlers =>
    Object.fromEntries(names.map((method) => [method, toHandler(shown, () => find()[method])]))
  const handlers = forward(Object.keys(first.handlers), () => current().handlers)
  const subscriptions = (): Subscriptions => current().subscriptions()
  let ours: Subscriptions | undefined
  return {
    get view() {
      return current().view
    },
    settled: shown.follow((connection) => connection.settled, []),
    replaced: shown.follow(() => NOTHING, [undefined]),
    introduce: shown.introduce,
    instructions: () => current().instructions(),
    handlers,
    ownHandler: (method) => (shown.isOver() ? undefined : current().ownHandler(method)),
    builtIns: () => current().builtIns(),
    itemTools: () => current().itemTools(),
    knows: (tool) => current().knows(tool),
    ...(first.lacks && { lacks: async (...asked) => (await current().lacks?.(...asked)) ?? [] }),
    notices: (client) => shown.follow((connection) => connection.notices(client), ALL_CHANGED),
    subscriptions() {
      ours ??= {
        handlers: forward(Object.keys(subscriptions().handlers), () => subscriptions().handlers),
        has: (uri) => subscriptions().has(uri),
        all: () => subscriptions().all(),
        knows: (uri) => subscriptions().knows(uri),
        watch: (uris) => subscriptions().watch(uris),
        resume: (uris) => subscriptions().resume(uris),
        close: () => subscriptions().close(),
      }
      return ours
    },
    release: shown.release,
  }
}

function toHandler({ isOver }: Pick<Shown, "isOver">, find: () => Handler | undefined): Handler {
  return async (params, context) => {
    const handler = find()
    if (handler !== undefined && !isOver()) return handler(params, context)
    throw new ProtocolError(METHOD_NOT_FOUND, "this client may no longer use this server: ask its operator")
  }
}

/** One caller's current view. */
interface Shown extends Pick<Connection, "release"> {
  /** Returns the connection to the view, after looking up the profile again. */
  current(): Connection
  /** Whether the caller may see nothing any more. */
  isOver(): boolean
  /** Records the client's name and version. */
  introduce(client: ClientInfo): void
  /**
   * Follows an observable of the current connection, and then the same one of each next connection.
   *
   * @param between - The items to emit when the connection is replaced.
   */
  follow<Item>(of: (connection: Connection) => Observable<Item>, between: readonly Item[]): Observable<Item>
}

function createShown(first: ProfiledConnection, { client: said, principal, open, profiles }: FollowOptions): Shown {
  const replaced = new Subject<void>()
  let client = said
  let now = first
  let isOver = false
  const replace = (next: ProfiledConnection | undefined): void => {
    const uris = now.subscriptions().all()
    if (next !== undefined && uris.length > 0) next.subscriptions().resume(uris)
    now.release()
    now = next ?? now
    isOver = next === undefined
    replaced.next()
  }
  const current = (): Connection => {
    if (isOver) return now
    const profile = profiles.choose({ ...(principal && { principal }), ...(client && { client }) })
    if (profile !== now.profile) replace(open(client))
    return now
  }
  return {
    current,
    isOver: () => isOver,
    introduce(info) {
      client = info
      current()
    },
    follow: (of, between) =>
      new Observable((subscriber) => {
        const hear = (): Subscription =>
          of(now).subscribe({
            next: (item) => subscriber.next(item),
            error: (cause: unknown) => subscriber.error(cause),
            complete: () => subscriber.complete(),
          })
        let inner = hear()
        const renew = (): void => {
          inner.unsubscribe()
          inner = hear()
          for (const item of between) subscriber.next(item)
        }
        subscriber.add(replaced.subscribe(() => (isOver ? subscriber.complete() : renew())))
        subscriber.add(() => inner.unsubscribe())
        subscriber.add(profiles.changes?.subscribe(() => void current()))
      }),
    release() {
      isOver = true
      now.release()
      replaced.complete()
    },
  }
}

/** The notices that clients get when their view is replaced. */
const ALL_CHANGED: readonly ServerNotice[] = [{ kind: "tools" }, { kind: "resources" }, { kind: "prompts" }]

const NOTHING = new Observable<never>()
