import type { CallContext, Result } from "@x/mcp-adapter"
import { accepted, elicit, type InputRequest, inputRequired, listRoots, sample } from "./input-requests.js"
import { type RawTool, text, toObject } from "./raw-tool.js"
import { seal, unseal } from "./request-state.js"

/** Tools that answer with a question first, as the modern era does. */
export const inputTools: readonly RawTool[] = [
  {
    name: "test_input_required_result_elicitation",
    description: "Asks the person for a name",
    async call(_, { inputResponses }) {
      const name = accepted(inputResponses, "user_name")?.["name"]
      return typeof name === "string" ? text(`Hello, ${name}!`) : inputRequired({ user_name: askName })
    },
  },
  {
    name: "test_input_required_result_sampling",
    description: "Asks the client's model",
    async call(_, { inputResponses }) {
      const answer = inputResponses?.["capital_question"]
      if (answer === undefined)
        return inputRequired({ capital_question: sample("What is the capital of France?", 100) })
      return text(String(toObject(toObject(answer)["content"])["text"]))
    },
  },
  {
    name: "test_input_required_result_list_roots",
    description: "Asks for the client's roots",
    async call(_, { inputResponses }) {
      const answer = inputResponses?.["client_roots"]
      return answer === undefined ? inputRequired({ client_roots: listRoots }) : text(JSON.stringify(answer))
    },
  },
  {
    name: "test_input_required_result_multiple_inputs",
    description: "Asks for three things at once",
    async call(_, context) {
      const state = unseal(context.requestState)
      const requests = { user_name: askName, greeting: sample("Generate a greeting", 50), client_roots: listRoots }
      const missing = Object.keys(requests).some((key) => context.inputResponses?.[key] === undefined)
      if (state === undefined || missing) return inputRequired(requests, seal("asked"))
      return text(JSON.stringify(context.inputResponses))
    },
  },
  {
    name: "test_input_required_result_multi_round",
    description: "Asks the person twice",
    call: (_, context) => askTwice(context),
  },
  {
    name: "test_input_required_result_capabilities",
    description: "Asks for everything that the client's capabilities allow",
    async call(_, { clientCapabilities, inputResponses }) {
      if (inputResponses !== undefined) return text(JSON.stringify(inputResponses))
      const all: Readonly<Record<string, InputRequest>> = {
        elicitation: askName,
        sampling: sample("Say hello", 50),
        roots: listRoots,
      }
      const possible = Object.entries(all).filter(([capability]) => clientCapabilities[capability] !== undefined)
      return possible.length > 0 ? inputRequired(Object.fromEntries(possible)) : text("There is nothing to ask for")
    },
  },
  confirming("test_input_required_result_request_state", "Asks the person to confirm, with a signed request state"),
  confirming(
    "test_input_required_result_tampered_state",
    "Asks the person to confirm, and rejects a forged request state",
  ),
  {
    name: "test_missing_capability",
    description: "Asks the client's model, even if the client declares none",
    async call(_, { inputResponses }) {
      return inputResponses === undefined ? inputRequired({ hello: sample("Say hello", 50) }) : text("Hello")
    },
  },
]

const askName = elicit("What is your name?", { name: { type: "string" } }, ["name"])

function confirming(name: string, description: string): RawTool {
  const confirm = elicit("Please confirm", { ok: { type: "boolean" } }, ["ok"])
  return {
    name,
    description,
    async call(_, { inputResponses, requestState }) {
      const state = unseal(requestState)
      const confirmed = accepted(inputResponses, "confirm")?.["ok"] === true
      return state === "asked" && confirmed ? text("state-ok") : inputRequired({ confirm }, seal("asked"))
    },
  }
}

async function askTwice({ inputResponses, requestState }: CallContext): Promise<Result> {
  const known = unseal(requestState)
  const color = accepted(inputResponses, "step2")?.["color"]
  if (known !== undefined && typeof color === "string") return text(`${known} likes ${color}`)
  const name = accepted(inputResponses, "step1")?.["name"]
  if (known !== undefined && typeof name === "string") {
    const step2 = elicit("Step 2: What is your favorite color?", { color: { type: "string" } }, ["color"])
    return inputRequired({ step2 }, seal(name))
  }
  const step1 = elicit("Step 1: What is your name?", { name: { type: "string" } }, ["name"])
  return inputRequired({ step1 }, seal("somebody"))
}
