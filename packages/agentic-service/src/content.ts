/** Something an action hands to the model beside its value, in neutral types that every protocol can map. */
export type Block = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock

/** Plain text. */
export interface TextBlock {
  /** Tells the blocks apart. */
  readonly type: "text"
  /** The text; may be empty. */
  readonly text: string
}

/** An image. */
export interface ImageBlock {
  /** Tells the blocks apart. */
  readonly type: "image"
  /** The bytes, or the bytes in base64. */
  readonly data: Uint8Array | string
  /** Such as `image/png`. */
  readonly mimeType: string
}

/** A sound. */
export interface AudioBlock {
  /** Tells the blocks apart. */
  readonly type: "audio"
  /** The bytes, or the bytes in base64. */
  readonly data: Uint8Array | string
  /** Such as `audio/wav`. */
  readonly mimeType: string
}

/** A resource the model may read if it wants to. */
export interface ResourceLinkBlock {
  /** Tells the blocks apart. */
  readonly type: "resource_link"
  /** Where it is read. */
  readonly uri: string
  /** A short name. */
  readonly name: string
  /** A name for people. */
  readonly title?: string
  /** What is in it. */
  readonly description?: string
  /** Its media type, where known. */
  readonly mimeType?: string
}

/** A resource handed over whole: text or bytes. */
export interface ResourceBlock {
  /** Tells the blocks apart. */
  readonly type: "resource"
  /** Names the resource. */
  readonly uri: string
  /** Its media type, where known. */
  readonly mimeType?: string
  /** Its text, where it is text. */
  readonly text?: string
  /** Its bytes, or the bytes in base64, where it is not text. */
  readonly blob?: Uint8Array | string
}
