import type { Block, Failure, Success } from "@x/agentic-service"
import type { CallAnswer } from "@x/mcp-adapter"
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, type RpcError } from "./json-rpc.js"

/** An answer in the words of this protocol. It has no place for images and other media: they are left out. */
export type Reply =
  | { readonly ok: true; readonly text: string; readonly sources: readonly string[] }
  | { readonly ok: false; readonly error: RpcError }

/** What a call came to. */
export function toReply(answer: CallAnswer): Reply {
  switch (answer.kind) {
    case "settled":
      return answer.outcome.ok ? toSuccess(answer.outcome) : { ok: false, error: toRpcError(answer.outcome) }
    case "unknown":
      return { ok: false, error: { code: METHOD_NOT_FOUND, message: "Method not found: there is no chat here" } }
    case "asked":
    case "incapable":
      return {
        ok: false,
        error: { code: INTERNAL_ERROR, message: "a person has to be asked first, which this protocol cannot" },
      }
  }
}

function toSuccess({ value, content = [] }: Success): Reply {
  const said = textOf(value)
  if (said !== undefined) return { ok: true, text: said, sources: content.flatMap(toSource) }
  const [first, ...rest] = content
  if (first?.type !== "text") return { ok: true, text: "", sources: content.flatMap(toSource) }
  return { ok: true, text: first.text, sources: rest.flatMap(toSource) }
}

/** The text of a value that has one; else it is the first block. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null || !("text" in value)) return undefined
  return typeof value.text === "string" ? value.text : undefined
}

function toSource(block: Block): readonly string[] {
  if (block.type === "resource_link") return [block.uri]
  return block.type === "text" ? [block.text] : []
}

function toRpcError({ code, message, recovery }: Failure): RpcError {
  const data = { ...(code !== undefined && { code }), ...(recovery !== undefined && { recovery }) }
  return { code: CODES.get(code ?? "") ?? INTERNAL_ERROR, message, ...(Object.keys(data).length > 0 && { data }) }
}

const CODES: ReadonlyMap<string, number> = new Map([
  ["invalid_input", INVALID_PARAMS],
  ["not_available", METHOD_NOT_FOUND],
])
