import type { Failure, Success } from "@x/agentic-service"
import { toOutputSchema } from "@x/tool-schemas"
import { toJson } from "@x/tool-schemas/json"
import type { SettledCall } from "../calls/call-answer.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { type Content, toContent, toText } from "./to-content.js"

/** The result of tools/call (2026-07-28, server/tools): pure JSON, with text that is never empty. */
export type ToolResult = {
  /** What the model reads. */
  readonly content: readonly Content[]
  /** The value in the shape of the published output schema; there whenever one is published and the call succeeded. */
  readonly structuredContent?: { readonly [key: string]: unknown }
  /** The action did not do what it was asked; absent otherwise. */
  readonly isError?: true
}

/** Says a settled call in MCP's words; whatever the value is, there is an answer. */
export function toToolResult({ outcome, entry }: SettledCall): ToolResult {
  return outcome.ok ? toSuccess(outcome, entry) : toError(outcome)
}

function toError({ message, code, recovery }: Failure): ToolResult {
  const what = message || "the action failed"
  const text = [code ? `${what} (${code})` : what, ...(recovery ? [recovery] : [])].join("\n")
  return { content: [toText(text)], isError: true }
}

function toSuccess(outcome: Success, entry: ToolEntry | undefined): ToolResult {
  const blocks = (outcome.content ?? []).map(toContent)
  if (entry?.output === undefined) return { content: withText(toTexts(outcome.value), blocks) }
  const structured = toOutputSchema(entry.output).toStructured(outcome.value)
  return { content: withText([toText(JSON.stringify(structured))], blocks), structuredContent: structured }
}

/** Hosts that show a model the text only must have something to show. */
function withText(texts: readonly Content[], blocks: readonly Content[]): readonly Content[] {
  const content = [...texts, ...blocks]
  return content.some((block) => block.type === "text" && block["text"] !== "") ? content : [toText("done"), ...content]
}

/** The value as the model reads it: a string as it is, anything else as JSON, nothing for nothing. */
function toTexts(value: unknown): readonly Content[] {
  if (value === undefined) return []
  return [toText(typeof value === "string" && value !== "" ? value : JSON.stringify(toJson(value)))]
}
