import type { IncomingMessage, ServerResponse } from "node:http"
import { cleanText } from "@x/base"
import type { McpAdapter } from "@x/mcp-adapter"
import { auditTime, map, merge, Observable, Subject, startWith } from "rxjs"
import type { Activity, RunningCall } from "../board/activity.js"

/** Serves the activity to pages. */
export interface ActivityFeed {
  /** The whole activity, soon after each subscription and after every change. */
  readonly activity$: Observable<Activity>
  /** Answers a page with an event stream: the whole activity, at once and after every change. */
  answer(request: IncomingMessage, response: ServerResponse): void
  /** Ends all streams; idempotent. */
  close(): void
}

/** The most streams at once: one for each tab. */
const MOST = 50

/** The most unread bytes of a stream. Beyond them it ends, and the browser reconnects. */
const UNREAD = 100_000

/** How long changes are collected, in milliseconds. */
const PAUSE_MS = 5

/** How long an ended call is still shown, in milliseconds: a page may hear of it after its change. */
const LINGERS_MS = 1_000

/** Follows an adapter's clients and calls. Names are what clients state about themselves, so they are shown and never trusted. */
export function createActivityFeed(adapter: McpAdapter): ActivityFeed {
  const running = new Map<string, RunningCall>()
  const changed$ = new Subject<void>()
  const calls = adapter.events.subscribe((event) => {
    if (event.type === "call-started") running.set(event.id, { client: toName(event.info), tool: event.name })
    else if (event.type === "call-settled" || event.type === "call-asked") return linger(event.id)
    else return
    changed$.next()
  })
  const linger = (id: string): void => {
    const end = (): void => {
      running.delete(id)
      changed$.next()
    }
    setTimeout(end, LINGERS_MS).unref()
  }
  const opened$ = new Observable<void>((listener) => adapter.ledger.watch(() => listener.next()))
  const read = (): Activity => ({
    clients: adapter.ledger.listeners().map(({ info }) => toName(info)),
    calls: [...running.values()],
  })
  const activity$ = merge(changed$, opened$).pipe(startWith(undefined), auditTime(PAUSE_MS), map(read))
  const streams = new Set<ServerResponse>()
  return {
    activity$,
    answer(request, response) {
      if (request.headers["sec-fetch-site"] === "cross-site" || streams.size >= MOST) {
        response.writeHead(streams.size >= MOST ? 503 : 403, { "content-length": "0" }).end()
        return
      }
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
      streams.add(response)
      let last = ""
      const following = activity$.subscribe((activity) => {
        const text = JSON.stringify(activity)
        if (response.writableLength > UNREAD) response.destroy()
        else if (text !== last) response.write(`data: ${text}\n\n`)
        last = text
      })
      response.on("close", () => {
        following.unsubscribe()
        streams.delete(response)
      })
    },
    close() {
      calls.unsubscribe()
      for (const stream of streams) stream.end()
    },
  }
}

/** Returns a client's name for people: "claude-code" is Claude Code. */
function toName(info: { readonly name: string } | undefined): string {
  const name = cleanText(info?.name ?? "")
    .trim()
    .slice(0, 40)
  if (name === "") return "A model"
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)
    ? name.replace(/(^|-)([a-z0-9])/g, (_, dash, letter) => `${dash && " "}${letter.toUpperCase()}`)
    : name
}
