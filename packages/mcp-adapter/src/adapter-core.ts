import type { Principal } from "@x/agentic-service"
import { AdapterError } from "./adapter-error.js"
import type { Around } from "./calls/around.js"
import type { Call, CallOwn, CallPath } from "./calls/create-caller.js"
import { holdWhile } from "./calls/hold-while.js"
import type { View } from "./catalogue/view.js"
import type { Path } from "./names/path.js"
import type { Clock } from "./runtime/clock.js"
import type { Report } from "./runtime/diagnostic.js"
import type { LinkedViews } from "./views/create-linked-views.js"
import type { ViewLease, Views } from "./views/create-views.js"

/** What bindings stand on; for those who write one. */
export interface AdapterCore {
  /** Whether every principal sees the same. */
  readonly shared: boolean
  /** Takes a lease on a principal's view; throws {@link AdapterError} `closed` after the adapter is closed. */
  open(principal: Principal | undefined): ViewLease
  /**
   * Takes a lease on a view of one service alone, with plain names, by any path of links that leads to it; `undefined`
   * where nothing is that the principal may know of. When the path leads nowhere, or elsewhere, the view's notices
   * complete, after the calls that run in it are answered.
   */
  linked(path: Path, principal: Principal | undefined): ViewLease | undefined
  /** The one call path. */
  readonly caller: (view: View) => Call
  /** The same path for the tools of the adapter's own, such as `get_state`. */
  readonly ownCaller: (view: View) => CallOwn
  /**
   * Puts the closing of a view of {@link AdapterCore.linked} off, so that a call whose answer is still being put together
   * can be answered; both callers do that for as long as they run.
   *
   * @returns Takes that back; idempotent.
   */
  readonly hold: (view: View) => () => void
  /**
   * Puts something around every call that starts from now on, such as the context of a trace.
   *
   * @returns Takes it away again; idempotent.
   */
  readonly around: (around: Around) => () => void
  /** Whether calls can be confirmed with a token; see `questions.incapable`. */
  readonly confirmsByToken: boolean
  /** Time. */
  readonly clock: Clock
  /** Takes what an operator should know. */
  readonly report: Report
}

/** What a core is made of. */
export interface CoreParts extends Pick<AdapterCore, "clock" | "report"> {
  /** The views of all. */
  readonly views: Views
  /** The views of single services. */
  readonly linked: LinkedViews
  /** The one call path. */
  readonly caller: CallPath
  /** Whether the adapter is closed. */
  readonly closed: () => boolean
}

/** Puts it together. */
export function createCore({ views, linked, caller, closed, ...parts }: CoreParts): AdapterCore {
  return {
    shared: views.shared,
    open(principal) {
      if (closed()) throw new AdapterError("closed", "the adapter is closed: close it last, after all that uses it")
      return views.open(principal)
    },
    linked: linked.open,
    caller: (view) => holdWhile(caller.within(view), () => linked.hold(view)),
    hold: linked.hold,
    ownCaller: (view) => holdWhile(caller.own(view), () => linked.hold(view)),
    around: caller.around,
    confirmsByToken: caller.confirmsByToken,
    ...parts,
  }
}
