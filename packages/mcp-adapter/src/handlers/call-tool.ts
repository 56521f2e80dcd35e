import { isRecord } from "@x/tool-schemas/json"
import type { AskedCall, CallAnswer, SettledCall } from "../calls/active-call.js"
import { confirmedBy } from "../calls/ask-person.js"
import type { CallContext } from "../calls/call-context.js"
import type { NamedCall } from "../calls/create-calls.js"
import type { ActionCall } from "../exposures/built-in.js"
import { type Handler, INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError, type Result } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { takePage, toCacheable } from "./page.js"
import { createTellChanges, declareChanges } from "./tell-changes.js"
import { limitResult, toToolResult } from "./tool-result.js"

/** Answers tools/call: whatever comes of the call is a result; only a name that never existed is an error. */
export function createCallTool(options: HandlerOptions): Handler {
  const tellChanges = createTellChanges(options)
  return async (params, context) => {
    const { name, arguments: args = {} } = params
    if (typeof name !== "string" || !isRecord(args)) {
      throw new ProtocolError(INVALID_PARAMS, 'expected "name", a string, and "arguments", an object')
    }
    // What changed is read from the view once the call is over.
    const release = options.view.hold()
    if (options.catchUp !== undefined && options.states !== "omit") options.view.noteAll()
    try {
      const answer = await callTool(options, { name, args, context })
      if (answer.kind !== "settled") return toUnsettled(answer)
      return await tellChanges(answer, limitResult(name, toToolResult(answer), options), context)
    } finally {
      release()
    }
  }
}

function toUnsettled(answer: Exclude<CallAnswer, SettledCall>): Result {
  switch (answer.kind) {
    case "asked":
      return toInputRequired(answer)
    case "incapable":
      throw new ProtocolError(
        MISSING_CAPABILITY,
        "a person has to be asked, and the client did not declare elicitation",
        {
          data: { requiredCapabilities: answer.required },
        },
      )
    case "unknown":
      throw new ProtocolError(INVALID_PARAMS, `unknown tool "${answer.name.slice(0, shownName)}"`)
  }
}

/** Asks for the answers (2026-07-28, basic/patterns/mrtr). On a legacy connection the SDK puts the questions itself. */
function toInputRequired({ questions, state }: AskedCall): Result {
  const inputRequests = Object.fromEntries(
    Object.entries(questions).map(([key, { message, schema }]) => [
      key,
      { method: "elicitation/create", params: { mode: "form", message, requestedSchema: schema } },
    ]),
  )
  return { resultType: "input_required", inputRequests, requestState: state }
}

async function callTool({ view, calls, exposure, host }: HandlerOptions, tool: NamedCall): Promise<CallAnswer> {
  const { name, args, context } = tool
  const exposed = exposure.resolve(view, name)
  if (exposed.kind === "action") return calls.call(view, { ...tool, name: exposed.name })
  const { builtIn } = exposed
  await view.ready
  const target = builtIn.target?.(args, view)
  if (target !== undefined) return calls.call(view, { ...target, context: confirmed(context, target) })
  return calls.callOwn(view, tool, () => builtIn.run(args, { view, context, host }))
}

function confirmed(context: CallContext, { confirm }: ActionCall): CallContext {
  return confirm === undefined ? context : { ...context, ...confirmedBy(confirm) }
}

/** A name is at most as long as any that MCP allows; a longer one is not worth repeating. */
const shownName = 128

/** Answers tools/list: what the exposure shows now, sorted by name. */
export function createListTools({ view, exposure, pageSize, shared, catchUp }: HandlerOptions): Handler {
  return async (params, context) => {
    await view.ready
    const keyOf = (tool: { readonly name: string }) => tool.name
    const page = takePage(exposure.list(view), { keyOf, cursor: params["cursor"], size: pageSize })
    const { items, ...next } = page
    const tools = catchUp === undefined ? items : items.map(declareChanges)
    return toCacheable({ tools, ...next }, context, shared)
  }
}
