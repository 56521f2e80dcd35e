import { isRecord, parseJson } from "@x/base"

/**
 * The answer of a tool to the browser's agent: plain JSON, because browsers degrade anything else. Failures are answers, too,
 * because thrown errors do not reach the caller.
 */
export type ToolAnswer = Success | Failed

/** The answer of a successful action. */
export interface Success {
  /** Discriminates the answers. */
  readonly ok: true
  /** The value, if the action has an output schema: in its published shape, with additional `changes`. */
  readonly result?: unknown
  /** The model's text, instead of a value. */
  readonly text?: string
  /** Images, audio, links and resources, as MCP content blocks. */
  readonly content?: readonly unknown[]
}

/** The answer of a failed action. */
export interface Failed {
  /** Discriminates the answers. */
  readonly ok: false
  /** Error text and recovery, for models. */
  readonly error: string
  /** The error as data, if the action gives any. */
  readonly data?: unknown
  /** Images, audio, links and resources, as MCP content blocks. */
  readonly content?: readonly unknown[]
}

/** Converts an MCP tool result to an answer. */
export function toToolAnswer(result: Readonly<Record<string, unknown>>): ToolAnswer {
  const { content = [], structuredContent, isError } = result
  const blocks = (Array.isArray(content) ? content : []).filter(isRecord)
  const others = blocks.filter(({ type }) => type !== "text")
  const text = blocks.flatMap((block) => (block["type"] === "text" ? [String(block["text"])] : [])).join("\n")
  const more = others.length > 0 ? { content: others } : {}
  if (isError === true)
    return { ok: false, error: text, ...(structuredContent !== undefined && { data: structuredContent }), ...more }
  return structuredContent === undefined
    ? { ok: true, text, ...more }
    : { ok: true, result: structuredContent, ...more }
}

/** Converts the result of reading a state to an answer. `get_state` returns the value as text. */
export function toStateAnswer(result: Readonly<Record<string, unknown>>): ToolAnswer {
  const answer = toToolAnswer(result)
  if (!answer.ok || answer.text === undefined) return answer
  // Text that is not JSON is returned unchanged.
  return { ok: true, result: parseJson(answer.text) ?? answer.text }
}

/** Creates a failed answer. */
export function toFailedAnswer(error: string): ToolAnswer {
  return { ok: false, error }
}

/**
 * Creates the schema of an answer from the published output schema. Returns `undefined` if it contains references, which would
 * not resolve one level deeper.
 */
export function toAnswerSchema(output: object | undefined): object | undefined {
  if (output === undefined || /"\$(ref|dynamicRef|id|anchor)":/.test(JSON.stringify(output))) return undefined
  const texts = { error: { type: "string" }, text: { type: "string" }, content: { type: "array" } }
  return { type: "object", properties: { ok: { type: "boolean" }, result: output, ...texts }, required: ["ok"] }
}
