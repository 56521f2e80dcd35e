import { fromBase64, isBytes, isRecord, shortHash, toBase64 } from "@x/base"

/** A block's bytes as base64 that every vendor accepts: padded, in the standard alphabet, without blanks. */
export interface ReadData {
  /** The bytes. */
  readonly base64: string
  /** The media type: the block's own, else its `data:` URL's. */
  readonly mimeType: unknown
  /** Returns the bytes as UTF-8, or `undefined` when they are invalid. */
  text(): string | undefined
  /** Returns an identifier of these bytes. */
  id(): string
}

/**
 * Reads data in any form that authors use: bytes, base64 of either alphabet, a `data:` URL, or a `Buffer` that went through
 * JSON.
 */
export function readData(data: unknown, mimeType: unknown): ReadData | { readonly fault: string } {
  const url = typeof data === "string" ? /^data:([^,;]*)([^,]*),(.*)$/is.exec(data) : null
  const base64 = url === null ? encode(data, mimeType) : encodeUrl(url[2] ?? "", url[3] ?? "")
  if (base64 === undefined) return { fault: data === undefined || data === null ? "is missing" : "is not base64" }
  if (base64 === "") return { fault: "is empty" }
  return {
    base64,
    mimeType: typeof mimeType === "string" && mimeType !== "" ? mimeType : url?.[1] || undefined,
    text: () => decode(base64),
    id: () => shortHash([base64]),
  }
}

function encode(data: unknown, mimeType: unknown): string | undefined {
  if (isBytes(data)) return toBase64(data)
  if (typeof data === "string") return toPlainBase64(data) ?? encodeMarkup(data, mimeType)
  return isBuffer(data) ? toBase64(Uint8Array.from(data.data)) : undefined
}

/** Encodes a drawing given as markup instead of base64. */
function encodeMarkup(text: string, mimeType: unknown): string | undefined {
  const markup = typeof mimeType === "string" && isTextType(mimeType) && text.trimStart().startsWith("<")
  return markup ? toBase64(new TextEncoder().encode(text)) : undefined
}

function encodeUrl(parameters: string, body: string): string | undefined {
  if (/;\s*base64\s*$/i.test(parameters)) return toPlainBase64(decodeParts(body) ?? body)
  const text = decodeParts(body)
  return text === undefined ? undefined : toBase64(new TextEncoder().encode(text))
}

function decodeParts(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function toPlainBase64(text: string): string | undefined {
  const plain = /[\s_-]/.test(text) ? text.replaceAll(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/") : text
  const bare = plain.replace(/=+$/, "")
  const padded = bare.padEnd(Math.ceil(bare.length / 4) * 4, "=")
  return isBase64(padded) ? padded : undefined
}

/** Checks base64 with `atob`, like the SDKs. */
function isBase64(text: string): boolean {
  try {
    atob(text)
    return true
  } catch {
    return false
  }
}

/** Checks for a Node `Buffer` that went through JSON. */
function isBuffer(value: unknown): value is { readonly data: readonly number[] } {
  if (!isRecord(value) || value["type"] !== "Buffer" || !Array.isArray(value["data"])) return false
  return value["data"].every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)
}

function decode(base64: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(base64))
  } catch {
    return undefined
  }
}

/** The form to send: an image or audio block that hosts show, or a resource of its own type. */
export type Media =
  | { readonly shown: true; readonly mimeType: string }
  | { readonly shown: false; readonly mimeType: string | undefined; readonly hosts: string }

/**
 * Chooses the media type of an image or audio block: by its first bytes, else by its author. An unknown type, or one that
 * differs from the bytes, makes a host refuse the whole conversation at every later turn.
 */
export function toMediaType(
  kind: "image" | "audio",
  { base64, mimeType }: Pick<ReadData, "base64" | "mimeType">,
): Media {
  const known = KNOWN[kind]
  const found = sniff(kind, base64) ?? toName(kind, mimeType)
  if (found !== undefined && known.includes(found)) return { shown: true, mimeType: found }
  return { shown: false, mimeType: found, hosts: known.slice(0, 4).join(", ") }
}

/** Media types that hosts and vendors accept. */
const KNOWN = {
  image: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  audio: [
    "audio/wav",
    "audio/mpeg",
    "audio/ogg",
    "audio/flac",
    "audio/mp3",
    "audio/x-wav",
    "audio/wave",
    "audio/aac",
    "audio/aiff",
    "audio/m4a",
    "audio/mp4",
    "audio/opus",
    "audio/webm",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>> as Readonly<
  Record<"image" | "audio", readonly string[]>
>

/** Normalises a media type: `PNG`, `png` and `image/x-png` are equal. */
function toName(kind: "image" | "audio", mimeType: unknown): string | undefined {
  if (typeof mimeType !== "string") return undefined
  const bare = (mimeType.split(";")[0] ?? "").trim().toLowerCase()
  if (bare === "") return undefined
  const whole = bare.includes("/") ? bare : `${kind}/${bare}`
  return ALIASES.get(whole) ?? whole
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["image/pjpeg", "image/jpeg"],
  ["image/x-png", "image/png"],
  ["image/svg", "image/svg+xml"],
])

/** Detects a known media type from the first bytes. */
function sniff(kind: "image" | "audio", base64: string): string | undefined {
  const start = atob(base64.slice(0, 16))
  const found = SIGNATURES[kind].find(({ begin, ninth = "" }) => start.startsWith(begin) && start.startsWith(ninth, 8))
  return found?.type
}

/** A file type's first bytes, and those from the ninth on. */
interface Signature {
  readonly type: string
  readonly begin: string
  readonly ninth?: string
}

const SIGNATURES: Readonly<Record<"image" | "audio", readonly Signature[]>> = {
  image: [
    { type: "image/png", begin: "\x89PNG" },
    { type: "image/jpeg", begin: "\xff\xd8\xff" },
    { type: "image/gif", begin: "GIF8" },
    { type: "image/webp", begin: "RIFF", ninth: "WEBP" },
  ],
  audio: [
    { type: "audio/wav", begin: "RIFF", ninth: "WAVE" },
    { type: "audio/mpeg", begin: "ID3" },
    { type: "audio/ogg", begin: "OggS" },
    { type: "audio/flac", begin: "fLaC" },
  ],
}

/** Checks whether content of a media type is text. */
export function isTextType(mimeType: string): boolean {
  return /^text\/|[/+](xml|json)$/.test((mimeType.split(";")[0] ?? "").trim().toLowerCase()) || mimeType === "svg"
}
