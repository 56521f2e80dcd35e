import type { Arguments } from "../calls/active-call.js"
import type { CallAnswer } from "../calls/call-answer.js"
import type { CallContext } from "../calls/call-context.js"
import type { HandlerOptions } from "./handler-options.js"
import type { Handler } from "./handlers.js"
import { INVALID_PARAMS, ProtocolError } from "./protocol-error.js"
import { toToolResult } from "./to-tool-result.js"

/** Answers tools/call: whatever comes of the call is a result; only a name that never existed is an error. */
export function createCallTool(options: HandlerOptions): Handler {
  return async (params, context) => {
    const { name, arguments: args = {} } = params
    if (typeof name !== "string" || !isArguments(args)) {
      throw new ProtocolError(INVALID_PARAMS, 'expected "name", a string, and "arguments", an object')
    }
    const answer = await callTool(options, { name, args, context })
    if (answer.kind === "settled") return toToolResult(answer)
    throw new ProtocolError(INVALID_PARAMS, `unknown tool "${answer.name.slice(0, shownName)}"`)
  }
}

type ToolCall = { readonly name: string; readonly args: Arguments; readonly context: CallContext }

async function callTool({ view, call, exposure }: HandlerOptions, tool: ToolCall): Promise<CallAnswer> {
  const { name, args, context } = tool
  const exposed = exposure.resolve(view, name)
  if (exposed.kind === "action") return call(exposed.name, args, context)
  return exposed.builtIn.run(args, { view, call, context })
}

function isArguments(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A name is at most as long as any that MCP allows; a longer one is not worth repeating. */
const shownName = 128
