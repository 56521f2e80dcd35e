import { type Block, type ExecuteContext, type Failed, ServiceError } from "@x/agentic-service"
import { from, lastValueFrom, Observable, of, takeUntil, tap } from "rxjs"

/** A part of an answer: the next piece of its text, a source, or something that is no text. */
export type Piece = string | SourcePiece | MediaPiece

/** Where an answer has something from. The model gets a link, or the text where there is no `uri`. */
export interface SourcePiece {
  /** Tells the pieces apart. */
  readonly type: "source"
  /** Where it can be read. */
  readonly uri?: string
  /** What it is called. */
  readonly title?: string
  /** What it says, in short. */
  readonly text?: string
  /** Its media type, where known. */
  readonly mimeType?: string
}

/** Something beside the text: an image, a sound, a file. */
export interface MediaPiece {
  /** Tells the pieces apart. */
  readonly type: "media"
  /** Such as `image/png`. */
  readonly mimeType: string
  /** The bytes, or the bytes in base64. */
  readonly data: Uint8Array | string
}

/**
 * What an agent answers: at once, or piece by piece as an async iterable or an observable; `fail(…)` where it cannot. When the
 * caller has lost interest, an iterable is returned from and an observable unsubscribed.
 */
export type Answer = Piece | readonly Piece[] | AsyncIterable<Piece> | Observable<Piece> | Failed

/** A whole answer. */
interface Gathered {
  /** All its text. */
  readonly text: string
  /** What came beside the text, in order. */
  readonly extras: readonly (SourcePiece | MediaPiece)[]
}

/** How an answer is gathered. */
interface GatherOptions {
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

/** An answer that is no failure, piece by piece; nothing is produced before it is subscribed. */
export function toPieces(answer: Exclude<Answer, Failed>): Observable<Piece> {
  if (typeof answer === "string" || "type" in answer) return of(answer)
  if (Symbol.asyncIterator in answer) return fromAsyncIterable(answer)
  return from(answer)
}

/**
 * The values of an async iterable, each asked for once the one before is taken. Unsubscribing returns from it at once, which a
 * generator notices at its next `yield`: at most the value that is being made is made in vain. (`from` of rxjs waits for that
 * value before it returns, and so for as long as there is none.)
 */
function fromAsyncIterable<Value>(iterable: AsyncIterable<Value>): Observable<Value> {
  return new Observable((subscriber) => {
    const iterator = iterable[Symbol.asyncIterator]()
    let over = false
    const pull = async (): Promise<void> => {
      while (!subscriber.closed) {
        const next = await iterator.next()
        if (next.done === true) {
          over = true
          return subscriber.complete()
        }
        subscriber.next(next.value)
      }
    }
    pull().catch((error: unknown) => {
      over = true
      subscriber.error(error)
    })
    return () => {
      if (!over) leave(iterator)
    }
  })
}

/** Nobody is left who could be told that leaving failed. */
function leave(iterator: AsyncIterator<unknown>): void {
  Promise.resolve(iterator.return?.()).catch(() => {})
}

/** Tells a failure from any other answer. */
export function isFailed(answer: Answer): answer is Failed {
  return typeof answer === "object" && "ok" in answer
}

/** What comes beside an answer's text, as blocks. */
export function toBlocks(extras: Gathered["extras"]): readonly Block[] {
  return extras.map((extra, index) => (extra.type === "source" ? toSourceBlock(extra) : toMediaBlock(extra, index + 1)))
}

function toSourceBlock({ uri, title, text, mimeType }: SourcePiece): Block {
  if (uri === undefined) return { type: "text", text: [title, text].filter(Boolean).join(": ") }
  return {
    type: "resource_link",
    uri,
    name: title ?? uri,
    ...(text !== undefined && { description: text }),
    ...(mimeType !== undefined && { mimeType }),
  }
}

function toMediaBlock({ mimeType, data }: MediaPiece, number: number): Block {
  if (mimeType.startsWith("image/")) return { type: "image", mimeType, data }
  if (mimeType.startsWith("audio/")) return { type: "audio", mimeType, data }
  return { type: "resource", uri: `answer:media/${number}`, mimeType, blob: data }
}
