import { type Block, type ExecuteContext, type Failed, ServiceError } from "@x/agentic-service"
import { jsonSize, memberOf } from "@x/tool-schemas/json"
import { from, lastValueFrom, Observable, of, takeUntil, tap } from "rxjs"
import { expectAnswer, expectPiece } from "./expect-piece.js"

/** A part of an answer: the next piece of its text, a source, or something that is no text. */
export type Piece = string | SourcePiece | MediaPiece | StructurePiece | SlyDataPiece

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

/** The answer as data, beside its text; of several the last counts. Where the form has no place for it, it is text, as JSON. */
export interface StructurePiece {
  /** Tells the pieces apart. */
  readonly type: "structure"
  /** The data. */
  readonly structure: Readonly<Record<string, unknown>>
}

/** Data for whoever asked, and no model: what the agent's `slyDataBack` names of it comes back, in `_meta` over MCP. */
export interface SlyDataPiece {
  /** Tells the pieces apart. */
  readonly type: "slyData"
  /** The data, by key. */
  readonly slyData: Readonly<Record<string, unknown>>
}

/**
 * What an agent answers: at once, or piece by piece as an async iterable or an observable; `fail(…)` where it cannot. When the
 * caller has lost interest, an iterable is returned from and an observable unsubscribed.
 */
export type Answer = Piece | readonly Piece[] | AsyncIterable<Piece> | Observable<Piece> | Failed

/** What happens inside of an agent while it answers. */
export interface InsideMessage {
  /** What it is: a prompt, what another agent said, what the code around it says, a tool's result, a step. */
  readonly kind: "system" | "agent" | "framework" | "tool-result" | "progress"
  /** What it says. */
  readonly text?: string
  /** What it says as data. */
  readonly structure?: Readonly<Record<string, unknown>>
  /** The tool or agent it comes from. Default: the agent itself. */
  readonly from?: string
}

/** A whole answer. */
export interface Gathered {
  /** All its text. */
  readonly text: string
  /** The answer as data, where the agent gave that and it is wanted. */
  readonly structure?: StructurePiece["structure"]
  /** What may come back to whoever asked; empty where there is nothing. */
  readonly slyData: SlyDataPiece["slyData"]
  /** What came beside the text, in order. */
  readonly extras: readonly (SourcePiece | MediaPiece)[]
}

/** How an answer is gathered. */
interface GatherOptions {
  /** Stops the gathering, and with it the producing. */
  readonly signal: AbortSignal
  /** Is handed each piece of text as it comes. */
  readonly onText: (text: string) => void
  /** Whether data is wanted as such; else it is text. */
  readonly structured: boolean
  /** The keys of sly data that may come back. */
  readonly slyDataBack: readonly string[]
  /** The most characters and bytes of the whole answer. */
  readonly limit: number
}

/**
 * Puts an answer together, telling its text as it grows.
 *
 * @throws ServiceError `too_large` where it outgrows the limit; TypeError for what is no piece; the signal's reason once it aborts;
 * what the answer itself throws.
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

/** The parts of an answer as they come. */
interface Parts {
  /** Takes the next. */
  take(piece: Piece): void
  /** All of them. */
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

/** How much a client wants to hear while it waits: nothing, the text as it grows, or what happens inside as well. */
export type Hears = "nothing" | "text" | "all"

/** Tells a client how an answer comes about. */
export interface Telling {
  /** The next piece of text. */
  text(text: string): void
  /** What happens inside. Throws where that grows beyond the limit. */
  inside(message: InsideMessage): void
  /** All that was told of what happens inside. */
  readonly told: readonly InsideMessage[]
}

/**
 * Makes the telling of one answer.
 *
 * @param limit - The most characters that are told of what happens inside.
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
      // As text, of which no piece is ever left out: of messages a client that hears less often gets the newest alone.
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
  return new ServiceError(`the answer grew beyond ${limit} characters and was stopped`, {
    code: "too_large",
    recovery: "ask for less",
  })
}

/**
 * Makes an observable of the pieces of an answer that is no failure; nothing is produced before it is subscribed.
 *
 * @throws TypeError for what is no answer.
 */
export function toPieces(answer: Exclude<Answer, Failed>): Observable<Piece> {
  expectAnswer(answer)
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
  return memberOf(answer, "ok") === false
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
