import { isRecord } from "@x/base"

/**
 * Rejects invalid pieces of an answer. The message is for the agent's author; clients do not see it.
 *
 * @throws TypeError that names what was found and expected.
 */
export function expectPiece(piece: unknown): void {
  if (typeof piece === "string") return
  const type = isRecord(piece) && typeof piece["type"] === "string" ? piece["type"] : ""
  const fits = Object.hasOwn(PIECES, type) ? PIECES[type] : undefined
  if (fits === undefined) throw new TypeError(`found ${describe(piece)} as a piece of an answer, expected ${EXPECTED}`)
  if (isRecord(piece) && !fits.test(piece))
    throw new TypeError(`found a piece of type "${String(piece["type"])}" without ${fits.needs}`)
}

/**
 * Throws if a value is not a valid answer, such as `undefined`.
 *
 * @throws TypeError that names what was found and expected.
 */
export function expectAnswer(found: unknown): void {
  if (typeof found !== "string" && (typeof found !== "object" || found === null)) {
    const many = "or a list or stream of such pieces"
    throw new TypeError(`found ${describe(found)} as an answer, expected ${EXPECTED}, ${many}`)
  }
  if (!isMany(found)) expectPiece(found)
}

function isMany(found: string | object): boolean {
  if (typeof found === "string") return false
  return Symbol.asyncIterator in found || Symbol.iterator in found || "subscribe" in found
}

const EXPECTED = 'a string, or an object of type "source", "media", "structure" or "slyData"'

/** The requirements of each type of piece. */
interface PieceShape {
  /** The requirement in words. */
  readonly needs: string
  readonly test: (piece: Readonly<Record<string, unknown>>) => boolean
}

const PIECES: Readonly<Partial<Record<string, PieceShape>>> = {
  source: {
    needs: 'a string as "uri", "title" or "text"',
    test: ({ uri, title, text }) => [uri, title, text].some(isText) && [uri, title, text].every(isTextOrAbsent),
  },
  media: {
    needs: 'a string as "mimeType" and bytes or base64 as "data"',
    test: ({ mimeType, data }) => isText(mimeType) && (isText(data) || data instanceof Uint8Array),
  },
  structure: { needs: 'an object as "structure"', test: ({ structure }) => isRecord(structure) },
  slyData: { needs: 'an object as "slyData"', test: ({ slyData }) => isRecord(slyData) },
}

function isText(value: unknown): boolean {
  return typeof value === "string"
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || isText(value)
}

function describe(found: unknown): string {
  if (!isRecord(found)) return Array.isArray(found) ? "a list" : String(found === null ? "null" : typeof found)
  const { type } = found
  if (typeof type === "string") return `an object of type "${type.slice(0, 40)}"`
  return `an object with "${Object.keys(found).slice(0, 5).join('", "')}"`
}
