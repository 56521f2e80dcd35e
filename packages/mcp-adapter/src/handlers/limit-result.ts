import type { HandlerOptions } from "./handler-options.js"
import { toText } from "./to-content.js"
import type { ToolResult } from "./to-tool-result.js"

/** Sends an error that the model can act on instead of a result that is too large, and tells the operator. */
export function limitResult(
  tool: string,
  result: ToolResult,
  { maxResultSize, report }: Pick<HandlerOptions, "maxResultSize" | "report">,
): ToolResult {
  const size = JSON.stringify(result).length
  if (size <= maxResultSize) return result
  const message = `the result of "${tool}" has ${size} characters, more than the ${maxResultSize} that are sent`
  report({ code: "result_too_large", message })
  return { content: [toText(`${message} (too_large)\nask for less, or for a part of it`)], isError: true }
}
