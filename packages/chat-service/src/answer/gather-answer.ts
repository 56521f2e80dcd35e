import { type ExecuteContext, ServiceError } from "@x/agentic-service"
import { lastValueFrom, Observable, takeUntil, tap } from "rxjs"
import type { MediaPiece, Piece, SourcePiece } from "./piece.js"

/** A whole answer. */
export interface Gathered {
  /** All its text. */
  readonly text: string
  /** What came beside the text, in order. */
  readonly extras: readonly (SourcePiece | MediaPiece)[]
}

/** How an answer is gathered. */
export interface GatherOptions {
  /** Stops the gathering, and with it the producing. */
  readonly signal: AbortSignal
  /** Is handed each piece of text as it comes. */
  readonly progress: ExecuteContext["progress"]
  /** The most characters and bytes of the whole answer. */
  readonly limit: number
}

/**
 * Puts an answer together, telling its text as it grows.
 *
 * @throws ServiceError `too_large` where it outgrows the limit; the signal's reason once it aborts; what the answer itself throws.
 */
export async function gatherAnswer(pieces: Observable<Piece>, options: GatherOptions): Promise<Gathered> {
  const { signal, progress, limit } = options
  signal.throwIfAborted()
  const texts: string[] = []
  const extras: (SourcePiece | MediaPiece)[] = []
  let size = 0
  let length = 0
  const take = (piece: Piece): void => {
    size += sizeOf(piece)
    if (size > limit) throw tooLarge(limit)
    if (typeof piece !== "string") extras.push(piece)
    else if (piece !== "") {
      texts.push(piece)
      length += piece.length
      progress({ progress: length, text: piece })
    }
  }
  await lastValueFrom(pieces.pipe(takeUntil(fromAbort(signal)), tap(take)), { defaultValue: undefined })
  signal.throwIfAborted()
  return { text: texts.join(""), extras }
}

function fromAbort(signal: AbortSignal): Observable<void> {
  return new Observable((subscriber) => {
    const abort = (): void => subscriber.next()
    signal.addEventListener("abort", abort)
    return () => signal.removeEventListener("abort", abort)
  })
}

function sizeOf(piece: Piece): number {
  if (typeof piece === "string") return piece.length
  if (piece.type === "media") return piece.data.length
  return (piece.uri ?? "").length + (piece.title ?? "").length + (piece.text ?? "").length
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(`the answer grew beyond ${limit} characters and was stopped`, {
    code: "too_large",
    recovery: "ask for less",
  })
}
