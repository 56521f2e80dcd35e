import type { CallContext, Params, Result } from "@x/mcp-adapter"
import { elicit, sample } from "./input-requests.js"
import { type RawTool, text, toObject } from "./raw-tool.js"

/** Tools that ask the client while they run, as the legacy era does. */
export const askTools: readonly RawTool[] = [
  {
    name: "test_sampling",
    description: "Asks the client's model",
    inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    async call({ prompt }, context) {
      const answer = await ask(context, sample(String(prompt), 100))
      return answer === undefined ? unasked : text(`LLM response: ${String(toObject(answer["content"])["text"])}`)
    },
  },
  {
    name: "test_elicitation",
    description: "Asks the person",
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    async call({ message }, context) {
      const username = { type: "string", description: "User's response" }
      const email = { type: "string", description: "User's email address" }
      const answer = await ask(context, elicit(String(message), { username, email }, ["username", "email"]))
      return answer === undefined ? unasked : text(`User response: ${summary(answer)}`)
    },
  },
  {
    name: "test_elicitation_sep1034_defaults",
    description: "Asks the person, with a default for each field",
    call: (_, context) => fillIn(context, WITH_DEFAULTS),
  },
  {
    name: "test_elicitation_sep1330_enums",
    description: "Asks the person to choose, with every kind of choice",
    call: (_, context) => fillIn(context, WITH_CHOICES),
  },
]

async function fillIn(context: CallContext, properties: Params): Promise<Result> {
  const answer = await ask(context, elicit("Please fill in the form", properties))
  return answer === undefined ? unasked : text(`Elicitation completed: ${summary(answer)}`)
}

async function ask({ peer }: CallContext, request: { readonly method: string; readonly params: Params }) {
  return peer?.request?.(request.method, request.params)
}

function summary({ action, content = {} }: Params): string {
  return `action=${String(action)}, content=${JSON.stringify(content)}`
}

const unasked: Result = { ...text("the client cannot be asked on this connection"), isError: true }

const WITH_DEFAULTS: Params = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
}

const OPTIONS = ["option1", "option2", "option3"]
const TITLED = ["First", "Second", "Third"].map((title, index) => ({ const: `value${index + 1}`, title }))

const WITH_CHOICES: Params = {
  untitledSingle: { type: "string", enum: OPTIONS },
  titledSingle: { type: "string", oneOf: TITLED },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
  titledMulti: { type: "array", items: { anyOf: TITLED } },
}
