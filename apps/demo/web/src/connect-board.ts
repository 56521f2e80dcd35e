import type { AgenticService } from "@x/agentic-service"
import { offerService } from "@x/service-wire"
import { fromWebSocket } from "@x/service-wire/websocket"
import { BehaviorSubject, type Observable } from "rxjs"
import type { Desk } from "./ask-person.js"
import { holdWhileFocused } from "./hold-while-focused.js"

/** Whether models can reach the board, through this tab or another one. */
export type BoardStatus = "connecting" | "connected" | "elsewhere" | "away"

/**
 * Offers the board to the host that the page came from, and comes back when the host was away. Of several tabs one answers: the
 * one that was looked at last.
 */
export function connectBoard(service: AgenticService, { ask }: Desk): Observable<BoardStatus> {
  const status$ = new BehaviorSubject<BoardStatus>("connecting")
  holdWhileFocused("board", async (signal) => {
    for (let wait = 250; !signal.aborted; wait = Math.min(5_000, wait * 2)) {
      const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/page`)
      socket.addEventListener("open", () => {
        wait = 250
        status$.next("connected")
      })
      const offer = offerService(service, fromWebSocket(socket), { ask })
      const leave = (): void => offer.close("another tab answers now")
      signal.addEventListener("abort", leave)
      await offer.closed
      signal.removeEventListener("abort", leave)
      status$.next(signal.aborted ? "elsewhere" : "away")
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, wait))
    }
    status$.next("elsewhere")
  })
  return status$
}
