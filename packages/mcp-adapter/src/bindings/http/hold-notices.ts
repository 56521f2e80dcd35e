import type { Report } from "../../runtime/diagnostic.js"
import type { NoticeSender } from "../server/deliver-notices.js"

/** Keeps what a client is to be told while it has no stream to be told over. */
export interface HeldNotices {
  /** Sends through a server while there is a stream; else the newest of each kind, and URI, waits for one. */
  through(server: NoticeSender): NoticeSender
  /**
   * Marks a stream as open; what waited goes out.
   *
   * @returns Marks it as ended; to be called once.
   */
  opened(): () => void
}

/** No stream is open yet. */
export function holdNotices(report: Report): HeldNotices {
  const waiting = new Map<string, () => Promise<void>>()
  let streams = 0
  const send = async (what: string, notice: () => Promise<void>): Promise<void> => {
    if (streams > 0) return notice()
    waiting.set(what, notice)
  }
  return {
    through: (server) => ({
      sendToolListChanged: () => send("tools", () => server.sendToolListChanged()),
      sendPromptListChanged: () => send("prompts", () => server.sendPromptListChanged()),
      sendResourceListChanged: () => send("resources", () => server.sendResourceListChanged()),
      sendResourceUpdated: (params) => send(`updated ${params.uri}`, () => server.sendResourceUpdated(params)),
    }),
    opened() {
      streams += 1
      const due = [...waiting.values()]
      waiting.clear()
      for (const notice of due) {
        notice().catch((cause: unknown) =>
          report({ code: "transport_failed", message: "a notice that had waited for a stream was not sent", cause }),
        )
      }
      return () => {
        streams -= 1
      }
    },
  }
}
