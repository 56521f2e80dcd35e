import type { CallContext, MethodExtension, Params, Result } from "@x/mcp-adapter"
import { ProtocolError } from "@x/mcp-adapter"
import type { BehaviorSubject } from "rxjs"
import { accepted, elicit, inputRequired } from "./input-requests.js"
import { toObject } from "./raw-tool.js"
import { PNG } from "./samples.js"

/** Prompts, one of them only while `more` holds. */
export function promptMethods(more: BehaviorSubject<boolean>): Readonly<Record<string, MethodExtension>> {
  const visible = (): readonly Prompt[] => prompts.filter(({ name }) => name !== DYNAMIC || more.value)
  return {
    "prompts/list": () => async () => ({ prompts: visible().map(({ get: _, ...definition }) => definition) }),
    "prompts/get": () => async (params, context) => {
      const prompt = visible().find(({ name }) => name === params["name"])
      if (prompt === undefined) throw new ProtocolError(-32602, `unknown prompt "${String(params["name"])}"`)
      return prompt.get(toObject(params["arguments"]), context)
    },
    "completion/complete": () => async (params) => {
      const typed = String(toObject(params["argument"])["value"])
      const values = ["paris", "park", "party"].filter((word) => word.startsWith(typed))
      return { completion: { values, total: values.length, hasMore: false } }
    },
  }
}

interface Prompt {
  readonly name: string
  readonly description: string
  readonly arguments?: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
  get(args: Params, context: CallContext): Result
}

const DYNAMIC = "test_dynamic_prompt"

const prompts: readonly Prompt[] = [
  {
    name: "test_simple_prompt",
    description: "Takes no arguments",
    get: () => says("This is a simple prompt for testing."),
  },
  {
    name: "test_prompt_with_arguments",
    description: "Takes two arguments",
    arguments: [argument("arg1"), argument("arg2")],
    get: ({ arg1, arg2 }) => says(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`),
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "Shows a resource",
    arguments: [argument("resourceUri")],
    get: ({ resourceUri }) => {
      const resource = { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." }
      return shows({ type: "resource", resource }, "Please process the embedded resource above.")
    },
  },
  {
    name: "test_prompt_with_image",
    description: "Shows an image",
    get: () => shows({ type: "image", data: PNG, mimeType: "image/png" }, "Please analyze the image above."),
  },
  {
    name: "test_input_required_result_prompt",
    description: "Asks the person for its context",
    get(_, { inputResponses }) {
      const context = accepted(inputResponses, "user_context")?.["context"]
      if (typeof context === "string") return says(`The context is: ${context}`)
      const question = "What context should the prompt use?"
      return inputRequired({ user_context: elicit(question, { context: { type: "string" } }, ["context"]) })
    },
  },
  { name: DYNAMIC, description: "Comes and goes", get: () => says("I am here now.") },
]

function argument(name: string) {
  return { name, description: `The argument ${name}`, required: true }
}

function says(words: string): Result {
  return { messages: [{ role: "user", content: { type: "text", text: words } }] }
}

function shows(content: object, words: string): Result {
  return {
    messages: [
      { role: "user", content },
      { role: "user", content: { type: "text", text: words } },
    ],
  }
}
