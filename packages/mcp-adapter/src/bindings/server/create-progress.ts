import type { Progress } from "@x/agentic-service"
import type { Peer } from "../../calls/peer.js"

/** Sends progress that only grows, as a client that asked for it with `progressToken` expects (2026-07-28, basic/patterns/progress). */
export function createProgress(peer: Peer, progressToken: string | number): (progress: Progress) => void {
  let latest = Number.NEGATIVE_INFINITY
  return ({ text, ...progress }) => {
    if (!Number.isFinite(progress.progress) || progress.progress <= latest) return
    latest = progress.progress
    peer.notify("notifications/progress", { progressToken, ...progress, ...(text !== undefined && { message: text }) })
  }
}
