import type { ObjectSchema } from "@x/tool-schemas"
import type { Arguments } from "../../calls/active-call.js"
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

/** The same, where calls can be confirmed. */
export const confirmedCallSchema: ObjectSchema = {
  ...actionCallSchema,
  properties: {
    ...Object(actionCallSchema["properties"]),
    confirm: { type: "string", description: "The token of an answer that asked for a confirmation" },
  },
}

/** Reads that input; `undefined` where it is another. */
export function toActionCall(args: Arguments): ActionCall | undefined {
  const { name, arguments: given } = args
  if (!onlyHas(args, ["name", "arguments"]) || typeof name !== "string" || !isOptionalObject(given)) return undefined
  return { name, args: given ?? {} }
}

/** Reads that input where calls can be confirmed. */
export function toConfirmedCall({ confirm, ...args }: Arguments): ActionCall | undefined {
  const call = toActionCall(args)
  if (call === undefined || confirm === undefined) return call
  return typeof confirm === "string" ? { ...call, confirm } : undefined
}

/** What to say where it is another. */
export const expectedActionCall = 'expected "name", a string, and "arguments", an optional object, and nothing else'
