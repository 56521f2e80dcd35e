import { type Block, type ExecuteContext, type Failed, ServiceError } from "@x/agentic-service"
import { jsonSize, memberOf } from "@x/base"
import { from, lastValueFrom, Observable, of, takeUntil, tap } from "rxjs"
import { expectAnswer, expectPiece } from "./expect-piece.js"

/** A part of an answer: the next piece of text, a source, or other content. */
export type Piece = string | SourcePiece | MediaPiece | StructurePiece | SlyDataPiece

/** A source of an answer. The model gets a link, or text if `uri` is missing. */
export interface SourcePiece {
  /** Discriminates the pieces. */
  readonly type: "source"
  /** The source's URI. */
  readonly uri?: string
  /** The source's title. */
  readonly title?: string
  /** A short summary. */
  readonly text?: string
  /** The media type, if known. */
  readonly mimeType?: string
}

/** Media beside the text: an image, audio or a file. */
export interface MediaPiece {
  /** Discriminates the pieces. */
  readonly type: "media"
  /** The media type, such as `image/png`. */
  readonly mimeType: string
  /** The bytes, raw or in base64. */
  readonly data: Uint8Array | string
}

/** The answer as data, beside its text. The last one counts. If the form has no field for it, it becomes JSON text. */
export interface StructurePiece {
  /** Discriminates the pieces. */
  readonly type: "structure"
  /** The data. */
  readonly structure: Readonly<Record<string, unknown>>
}

/** Data for the caller that no model may see. Keys listed in the agent's `slyDataBack` are returned, in `_meta` over MCP. */
export interface SlyDataPiece {
  /** Discriminates the pieces. */
  readonly type: "slyData"
  /** The data, by key. */
  readonly slyData: Readonly<Record<string, unknown>>
}

/**
 * The answer of an agent: complete, or piece by piece as an async iterable or an observable, or `fail(…)`. If the caller gives
 * up, an iterable is closed and an observable unsubscribed.
 */
export type Answer = Piece | readonly Piece[] | AsyncIterable<Piece> | Observable<Piece> | Failed

/** An event inside an agent while it answers. */
export interface InsideMessage {
  /** The kind: a prompt, another agent's answer, a message of the framework, a tool's result, a step. */
  readonly kind: "system" | "agent" | "framework" | "tool-result" | "progress"
  /** The text. */
  readonly text?: string
  /** The content as data. */
  readonly structure?: Readonly<Record<string, unknown>>
  /** The sending tool or agent. Default: the agent itself. */
  readonly from?: string
}

/** A complete answer. */
export interface Gathered {
  /** The complete text. */
  readonly text: string
  /** The answer as data, if given and if the form supports data. */
  readonly structure?: StructurePiece["structure"]
  /** The data to return to the caller; may be empty. */
  readonly slyData: SlyDataPiece["slyData"]
  /** Sources and media, in order. */
  readonly extras: readonly (SourcePiece | MediaPiece)[]
}

/** Options for gathering an answer. */
interface GatherOptions {
  /** Stops gathering, and the producer. */
  readonly signal: AbortSignal
  /** Receives each piece of text as it arrives. */
  readonly onText: (text: string) => void
  /** Whether to keep data as data; otherwise it becomes text. */
  readonly structured: boolean
  /** The keys of sly data to return. */
  readonly slyDataBack: readonly string[]
  /** The most characters and bytes of the whole answer. */
  readonly limit: number
}

/**
 * Gathers an answer and reports its text as it grows.
 *
 * @throws ServiceError `too_large` beyond the limit; TypeError for an invalid piece; the signal's reason once it aborts; or the
 * error of the answer itself.
 */
export async function gatherAnswer(pieces: Observable<Piece>, options: GatherOptions): Promise<Gathered> {
  const { signal, limit } = options
  signal.throwIfAborted()
  const parts = createParts(options)
  let size = 0
  const take = (piece: Piece): void => {
    expectPiece(piece)
    size += sizeOf(piece)
    if (size > limit) throw tooLarge(limit)
    parts.take(piece)
  }
  await lastValueFrom(pieces.pipe(takeUntil(fromAbort(signal)), tap(take)), { defaultValue: undefined })
  signal.throwIfAborted()
  return parts.whole()
}

/** Collects the parts of an answer. */
interface Parts {
  /** Adds the next piece. */
  take(piece: Piece): void
  /** Returns the complete answer. */
  whole(): Gathered
}

function createParts({ onText, structured, slyDataBack }: GatherOptions): Parts {
  const texts: string[] = []
  const extras: (SourcePiece | MediaPiece)[] = []
  const slyData: Record<string, unknown> = {}
  let structure: StructurePiece["structure"] | undefined
  const say = (text: string): void => {
    if (text === "") return
    texts.push(text)
    onText(text)
  }
  const take = (piece: Piece): void => {
    if (typeof piece === "string") say(piece)
    else if (piece.type === "slyData") Object.assign(slyData, pick(piece.slyData, slyDataBack))
    else if (piece.type !== "structure") extras.push(piece)
    else if (structured) structure = piece.structure
    else say(JSON.stringify(piece.structure))
  }
  return { take, whole: () => ({ text: texts.join(""), extras, slyData, ...(structure && { structure }) }) }
}

function pick(data: Readonly<Record<string, unknown>>, keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(data, key)).map((key) => [key, data[key]]))
}

/** How much a client receives while it waits: nothing, the growing text, or also events inside. */
export type Hears = "nothing" | "text" | "all"

/** Reports to a client while an answer is produced. */
export interface Telling {
  /** Reports the next piece of text. */
  text(text: string): void
  /** Reports an event inside. Throws beyond the limit. */
  inside(message: InsideMessage): void
  /** The reported events inside. */
  readonly told: readonly InsideMessage[]
}

/**
 * Creates the reports of one answer.
 *
 * @param limit - The most characters of events inside.
 */
export function createTelling(progress: ExecuteContext["progress"], hears: Hears, limit: number): Telling {
  const told: InsideMessage[] = []
  let done = 0
  let size = 0
  return {
    told,
    text(text) {
      done += text.length
      if (hears !== "nothing") progress({ progress: done, text })
    },
    inside(message) {
      const text = message.text ?? JSON.stringify(message.structure ?? {})
      size += text.length
      if (size > limit) throw tooLarge(limit)
      told.push(message)
      done += 1
      // Sent as text, which is never dropped. Messages, in contrast, are merged to the newest for a slow client.
      const line = message.from === undefined ? text : `${message.from}: ${text}`
      if (hears === "all") progress({ progress: done, text: `\n${line}\n` })
    },
  }
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
  if (piece.type === "structure") return jsonSize(piece.structure) ?? 0
  if (piece.type === "slyData") return jsonSize(piece.slyData) ?? 0
  return (piece.uri ?? "").length + (piece.title ?? "").length + (piece.text ?? "").length
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(`the answer exceeded the limit of ${limit} characters and was stopped`, {
    code: "too_large",
    recovery: "ask for a shorter answer",
  })
}

/**
 * Converts an answer other than a failure to an observable of pieces. Nothing is produced before the subscription.
 *
 * @throws TypeError for an invalid answer.
 */
export function toPieces(answer: Exclude<Answer, Failed>): Observable<Piece> {
  expectAnswer(answer)
  if (typeof answer === "string" || "type" in answer) return of(answer)
  if (Symbol.asyncIterator in answer) return fromAsyncIterable(answer)
  return from(answer)
}

/**
 * Converts an async iterable to an observable. Each value is requested after the previous one was processed. Unsubscribing
 * closes the iterator at once, which a generator notices at its next `yield`: at most one value is produced in vain. (`from` of
 * rxjs closes the iterator only after the pending value, which may never come.)
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

/** Closes an iterator and ignores errors, because no receiver is left. */
function leave(iterator: AsyncIterator<unknown>): void {
  Promise.resolve(iterator.return?.()).catch(() => {})
}

/** Whether an answer is a failure. */
export function isFailed(answer: Answer): answer is Failed {
  return memberOf(answer, "ok") === false
}

/** Converts sources and media to content blocks. */
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
