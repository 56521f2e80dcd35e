import type { Failed } from "@x/agentic-service"
import { from, type Observable, of } from "rxjs"
import { fromAsyncIterable } from "./from-async-iterable.js"
import type { Answer, Piece } from "./piece.js"

/** An answer that is no failure, piece by piece; nothing is produced before it is subscribed. */
export function toPieces(answer: Exclude<Answer, Failed>): Observable<Piece> {
  if (typeof answer === "string" || "type" in answer) return of(answer)
  if (Symbol.asyncIterator in answer) return fromAsyncIterable(answer)
  return from(answer)
}
