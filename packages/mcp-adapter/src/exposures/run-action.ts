import { invalidInput } from "@x/agentic-service/adapter"
import type { ObjectSchema } from "@x/tool-schemas"
import type { Arguments } from "../calls/call-context.js"
import { toNotReadOnly } from "../calls/failures.js"
import type { ToolDefinition } from "../catalogue/entry.js"
import type { View } from "../views/view.js"
import {
  type ActionCall,
  type BuiltIn,
  isOptionalObject,
  isOptionalString,
  noTarget,
  onlyHas,
  withTarget,
} from "./built-in.js"

/** How `run_action` is made. */
interface RunActionOptions {
  /** Whether actions are listed beside it. Default `true`. */
  readonly listed?: boolean
  /** Whether it takes the tokens of calls that were to be confirmed. Default `false`. */
  readonly confirm?: boolean
}

/** The tool that calls any action by name, so that a client that never lists again can call what it learns later. */
export function createRunAction({ listed = true, confirm = false }: RunActionOptions = {}): BuiltIn {
  const definition = Object.freeze<ToolDefinition>({
    name: "run_action",
    title: "Run action",
    description: listed ? BESIDE_LISTED : FOUND,
    inputSchema: confirm ? confirmedCallSchema : actionCallSchema,
    annotations: { readOnlyHint: false, destructiveHint: true },
  })
  const toCall = confirm ? toConfirmedCall : toActionCall
  return {
    definition,
    aimed: withTarget(definition),
    // Beside a list that stays as it is, it would serve only for tokens.
    serves: ({ changes }) => changes || confirm || !listed,
    target(args, view) {
      const { target, ...rest } = args
      if (target === undefined || !view.targets.any()) return toCall(args)
      const call = toCall(rest)
      if (call === undefined || typeof target !== "string") return undefined
      const aimed = view.targets.at(target)
      return aimed && { ...call, aim: { target, view: aimed.view } }
    },
    run({ target, ...rest }, { view }) {
      const wrong =
        toCall(rest) === undefined || !isOptionalString(target) || target === undefined || !view.targets.any()
      if (!wrong) return noTarget(target, view)
      return invalidInput("run_action", [{ path: [], message: confirm ? expectedConfirmedCall : expectedActionCall }])
    },
  }
}

const BESIDE_LISTED =
  "Runs an action by its tool name, exactly as calling that tool does. For actions that became available " +
  "after the tools were listed; call listed tools directly."

const FOUND =
  "Runs an action by the name that `find_actions` tells, whether it changes something or not. For those that it tells " +
  "to run with `run_read_action`, that tool does as well."

const expectedConfirmedCall =
  'expected "name", a string, "arguments", an optional object, "confirm", an optional string, and nothing else'

/** The input of a tool that runs actions. */
const actionCallSchema: ObjectSchema = {
  type: "object",
  properties: {
    name: { type: "string", description: "The action's tool name" },
    arguments: { type: "object", description: "The action's arguments; left out for none" },
  },
  required: ["name"],
  additionalProperties: false,
}

/** The same, where calls can be confirmed. */
const confirmedCallSchema: ObjectSchema = {
  ...actionCallSchema,
  properties: {
    ...Object(actionCallSchema["properties"]),
    confirm: { type: "string", description: "The token of an answer that asked for a confirmation" },
  },
}

/** The tool that calls by name what changes nothing, so that hosts can let it pass without asking. */
export const runReadAction: BuiltIn = {
  definition: Object.freeze<ToolDefinition>({
    name: "run_read_action",
    title: "Run read-only action",
    description:
      "Runs an action that changes nothing, by the name that `find_actions` tells. Others are refused: run them with " +
      "`run_action`.",
    inputSchema: actionCallSchema,
    annotations: { readOnlyHint: true, destructiveHint: false },
  }),
  target(args, view) {
    const action = toActionCall(args)
    return action !== undefined && mayRun(view, action.name) ? { ...action, onlyReads: true } : undefined
  },
  run(args) {
    const action = toActionCall(args)
    if (action === undefined) return invalidInput("run_read_action", [{ path: [], message: expectedActionCall }])
    return toNotReadOnly(action.name)
  },
}

/** A name that means nothing is for the call to refuse, as everywhere. */
function mayRun(view: View, name: string): boolean {
  const resolved = view.resolve(name)
  return resolved.status === "unknown" || resolved.entry.definition.annotations.readOnlyHint === true
}

/** Reads that input; `undefined` where it is another. */
function toActionCall(args: Arguments): ActionCall | undefined {
  const { name, arguments: given } = args
  if (!onlyHas(args, ["name", "arguments"]) || typeof name !== "string" || !isOptionalObject(given)) return undefined
  return { name, args: given ?? {} }
}

/** Reads that input where calls can be confirmed. */
function toConfirmedCall({ confirm, ...args }: Arguments): ActionCall | undefined {
  const call = toActionCall(args)
  if (call === undefined || confirm === undefined) return call
  return typeof confirm === "string" ? { ...call, confirm } : undefined
}

/** What to say where it is another. */
const expectedActionCall = 'expected "name", a string, and "arguments", an optional object, and nothing else'
