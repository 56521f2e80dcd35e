import type { Failed } from "@x/agentic-service"
import type { Observable } from "rxjs"

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
