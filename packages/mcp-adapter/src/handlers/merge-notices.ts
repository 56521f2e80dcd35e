import { catchError, EMPTY, endWith, ignoreElements, merge, type Observable, takeUntil } from "rxjs"
import type { Report } from "../runtime/diagnostic.js"
import type { ServerNotice } from "./extension.js"

/** A view's notices and an extension's, for as long as the view's last: what comes of an extension ends nothing else. */
export function mergeNotices(
  own: Observable<ServerNotice>,
  further: Observable<ServerNotice> | undefined,
  report: Report,
): Observable<ServerNotice> {
  if (further === undefined) return own
  const guarded = further.pipe(
    catchError((cause: unknown) => {
      report({ code: "source_failed", message: "the notices of the extension failed: no more of them are sent", cause })
      return EMPTY
    }),
  )
  return merge(own, guarded.pipe(takeUntil(own.pipe(ignoreElements(), endWith(undefined)))))
}
