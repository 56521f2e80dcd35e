import { BehaviorSubject, filter, firstValueFrom, map, type Observable, of, timeout } from "rxjs"
import type { Activity } from "../../src/board/activity.js"

const IDLE: Activity = { clients: [], calls: [] }

/** The models that work on the board, as the server tells. */
export interface FollowedActivity {
  /** The activity; idle while the server cannot be reached. */
  readonly activity$: Observable<Activity>
  /** Returns the names of the clients that call now. Waits a moment for the server to tell. */
  callers(): Promise<readonly string[]>
}

/** How long a client's name is waited for, in milliseconds. */
const NAMED_MS = 1_000

/** Returns the names of the clients that run an action of this key, or any action. */
export function callersOf({ calls }: Activity, action?: string): readonly string[] {
  const runs = (tool: string): boolean => tool === action || tool === "run_action" || tool.endsWith(`__${action}`)
  return calls.filter(({ tool }) => action === undefined || runs(tool)).map(({ client }) => client)
}

/** Follows the server's activity for as long as the page lives; the browser reconnects by itself. */
export function followActivity(path = "/activity"): FollowedActivity {
  const activity$ = new BehaviorSubject(IDLE)
  const stream = new EventSource(path)
  stream.addEventListener("message", ({ data }) => activity$.next(JSON.parse(data)))
  stream.addEventListener("error", () => activity$.next(IDLE))
  const named$ = activity$.pipe(
    map((activity) => callersOf(activity)),
    filter(({ length }) => length > 0),
    timeout({ first: NAMED_MS, with: () => of([]) }),
  )
  return { activity$, callers: () => firstValueFrom(named$) }
}
