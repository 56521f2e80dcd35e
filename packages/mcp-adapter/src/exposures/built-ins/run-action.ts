import type { Arguments } from "../../calls/active-call.js"
import { toInvalidInput } from "../../calls/check-input.js"
import type { ToolDefinition } from "../../catalogue/entry.js"
import { isOptionalObject, onlyHas } from "./arguments.js"
import type { BuiltIn } from "./built-in.js"

/** The tool that calls any action by name, so that a client that never lists again can call what it learns later. */
export const runAction: BuiltIn = {
  definition: Object.freeze<ToolDefinition>({
    name: "run_action",
    title: "Run action",
    description:
      "Runs an action by its tool name, exactly as calling that tool does. For actions that became available " +
      "after the tools were listed; call listed tools directly.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", description: "The action's tool name" },
        arguments: { type: "object", description: "The action's arguments; left out for none" },
      },
      required: ["name"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true },
  }),
  target: (args) => (isInput(args) ? { name: args.name, args: args.arguments ?? {} } : undefined),
  run: () => toInvalidInput("run_action", [{ path: [], message: expected }]),
}

type Input = { readonly name: string; readonly arguments?: Arguments }

function isInput(args: Arguments): args is Input {
  return onlyHas(args, ["name", "arguments"]) && typeof args["name"] === "string" && isOptionalObject(args["arguments"])
}

const expected = 'expected "name", a string, and "arguments", an optional object, and nothing else'
