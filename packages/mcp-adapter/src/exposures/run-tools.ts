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

/** Options of `run_action`. */
interface RunActionOptions {
  /** Whether the exposure also lists actions. Default `true`. */
  readonly listed?: boolean
  /** Whether it accepts confirmation tokens. Default `false`. */
  readonly confirm?: boolean
}

/**
 * Creates the tool that calls any action by name, so that a client that never lists again can call actions that it learns of
 * later.
 */
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
    // Beside a list that never changes, the tool is needed for confirmation tokens only.
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

const BESIDE_LISTED = "Runs an action, by its tool name, that became available after you listed the tools"

const FOUND =
  "Runs any action by the name that `find_actions` returned. Read-only actions, marked there with `run_read_action`, " +
  "can run with that tool as well."

const expectedConfirmedCall =
  'expected "name", a string, "arguments", an optional object, "confirm", an optional string, and nothing else'

/** The input schema of a tool that runs actions. */
const actionCallSchema: ObjectSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    arguments: { type: "object" },
  },
  required: ["name"],
}

/** The input schema with confirmation tokens. */
const confirmedCallSchema: ObjectSchema = {
  ...actionCallSchema,
  properties: {
    ...Object(actionCallSchema["properties"]),
    confirm: { type: "string", description: "The token of an answer that asked for confirmation" },
  },
}

/** The tool that runs read-only actions by name, so that hosts can allow it without asking. */
export const runReadAction: BuiltIn = {
  definition: Object.freeze<ToolDefinition>({
    name: "run_read_action",
    title: "Run read-only action",
    description:
      "Runs a read-only action by the name that `find_actions` returned. Other actions are refused: run them with " +
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

/** Whether `run_read_action` may pass the call on. An unknown name is refused by the call itself, with the usual error. */
function mayRun(view: View, name: string): boolean {
  const resolved = view.resolve(name)
  return resolved.status === "unknown" || resolved.entry.definition.annotations.readOnlyHint === true
}

/** Reads the input; `undefined` if invalid. */
function toActionCall(args: Arguments): ActionCall | undefined {
  const { name, arguments: given } = args
  if (!onlyHas(args, ["name", "arguments"]) || typeof name !== "string" || !isOptionalObject(given)) return undefined
  return { name, args: given ?? {} }
}

/** Reads the input with an optional confirmation token. */
function toConfirmedCall({ confirm, ...args }: Arguments): ActionCall | undefined {
  const call = toActionCall(args)
  if (call === undefined || confirm === undefined) return call
  return typeof confirm === "string" ? { ...call, confirm } : undefined
}

/** The error for invalid input. */
const expectedActionCall = 'expected "name", a string, and "arguments", an optional object, and nothing else'
