import type { ViewOptions } from "./create-view.js"

/** When clients are told of changes. */
export type NoticeTimes = Pick<ViewOptions, "noticeWindow" | "flickerWindow">

/** The times that are given, and the usual ones. */
export function toNoticeTimes({ noticeWindow = 50, flickerWindow }: Partial<NoticeTimes>): NoticeTimes {
  return { noticeWindow, flickerWindow }
}
