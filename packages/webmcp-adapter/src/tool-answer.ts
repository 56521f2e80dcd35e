import { isRecord, parseJson } from "@x/tool-schemas/json"

/**
 * What a tool answers the browser's agent: plain JSON, as browsers turn anything else into less. A failure is an answer as
 * well, since what a tool throws does not reach whoever called it.
 */
export type ToolAnswer = Success | Failed

/** The action did what it was asked. */
export interface Success {
  /** Tells the two apart. */
  readonly ok: true
  /** The value, where the action promises one: in the shape of the published output schema, with `changes` beside its own. */
  readonly result?: unknown
  /** What a model reads, where there is no such value. */
  readonly text?: string
  /** Images, sounds, links and resources, as MCP has them. */
  readonly content?: readonly unknown[]
}

/** It did not. */
export interface Failed {
  /** Tells the two apart. */
  readonly ok: false
  /** What happened and what to do about it, as a model reads it. */
  readonly error: string
  /** What happened as data, where the action says. */
  readonly data?: unknown
  /** Images, sounds, links and resources, as MCP has them. */
  readonly content?: readonly unknown[]
}

/** Says the result of a tool call, in MCP's words, in those of a page. */
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

/** The answer to a read of a state: its value, which `get_state` gives as text. */
export function toStateAnswer(result: Readonly<Record<string, unknown>>): ToolAnswer {
  const answer = toToolAnswer(result)
  if (!answer.ok || answer.text === undefined) return answer
  // A state that is a text, and no JSON, is read as it is.
  return { ok: true, result: parseJson(answer.text) ?? answer.text }
}

/** A failure of ours, in the same words. */
export function toFailedAnswer(error: string): ToolAnswer {
  return { ok: false, error }
}

/**
 * The published output schema as that of an answer. `undefined` where it refers to parts of itself, which would not be found
 * again one level down.
 */
export function toAnswerSchema(output: object | undefined): object | undefined {
  if (output === undefined || /"\$(ref|dynamicRef|id|anchor)":/.test(JSON.stringify(output))) return undefined
  const texts = { error: { type: "string" }, text: { type: "string" }, content: { type: "array" } }
  return { type: "object", properties: { ok: { type: "boolean" }, result: output, ...texts }, required: ["ok"] }
}
