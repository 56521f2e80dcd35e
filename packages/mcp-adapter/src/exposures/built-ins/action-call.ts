import type { Arguments } from "../../calls/active-call.js"
import type { ObjectSchema } from "../../schemas/object-schema.js"
import { isOptionalObject, onlyHas } from "./arguments.js"
import type { ActionCall } from "./built-in.js"

/** The input of a tool that runs actions. */
export const actionCallSchema: ObjectSchema = {
  type: "object",
  properties: {
    name: { type: "string", description: "The action's tool name" },
    arguments: { type: "object", description: "The action's arguments; left out for none" },
  },
  required: ["name"],
  additionalProperties: false,
}

/** Reads that input; `undefined` where it is another. */
export function toActionCall(args: Arguments): ActionCall | undefined {
  const { name, arguments: given } = args
  if (!onlyHas(args, ["name", "arguments"]) || typeof name !== "string" || !isOptionalObject(given)) return undefined
  return { name, args: given ?? {} }
}

/** What to say where it is another. */
export const expectedActionCall = 'expected "name", a string, and "arguments", an optional object, and nothing else'
