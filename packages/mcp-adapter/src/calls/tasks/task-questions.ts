import type { Answers, Ask, ClientRequest, ClientResponse, Question } from "@x/agentic-service"
import { createDeferred, type JsonValue, toJson } from "@x/base"
import type { CallContext } from "../call-context.js"
import { readResponses } from "../client-requests.js"
import { readAnswers } from "../consent/question-form.js"

/** The questions that a task asks in its life, one {@link Ask} after the other. */
export interface TaskQuestions {
  /** Opens the questions of a task that asks. Resolves with the person's reaction once nothing is open. */
  put(ask: Pick<Ask, "questions" | "requests">): Promise<Reaction>
  /** Returns the open questions, as requests to the client by key. */
  open(): OpenRequests
  /**
   * Takes answers by key. An unknown key, or an answer that does not fit its question, changes nothing.
   *
   * @returns Whether an open question was answered.
   */
  answer(responses: Readonly<Record<string, unknown>>): Promise<boolean>
  /** Ends the open questions without answers. */
  cancel(): void
}

/** The reaction of the caller's person and client. */
export type Reaction = Answers | "declined" | "cancelled"

/** Open questions by key, as JSON. */
export type OpenRequests = { readonly [key: string]: JsonValue }

/** An open question, or request to the client. */
type Open = { readonly key: string } & (
  | { readonly question: Question; readonly request?: never }
  | { readonly request: ClientRequest; readonly question?: never }
)

/** Creates the questions of one task. No key is used twice in the task's life. */
export function createTaskQuestions(): TaskQuestions {
  const open = new Map<string, Open>()
  let minted = 0
  let given: Record<string, unknown> = {}
  let settle: (reaction: Reaction) => void = () => undefined
  const mint = (asked: Open): void => {
    minted += 1
    open.set(`q${minted}`, asked)
  }
  const end = (reaction: Reaction): void => {
    open.clear()
    settle(reaction)
  }
  /** Takes the answer to one question. */
  const take = async (key: string, response: unknown): Promise<boolean> => {
    const asked = open.get(key)
    const read = asked && (await readOne(asked, response))
    // Reading takes time: another delivery may have answered it.
    if (asked === undefined || read === undefined || open.get(key) !== asked) return false
    if (typeof read === "string") end(read)
    else {
      given[asked.key] = read.value
      open.delete(key)
    }
    return true
  }
  return {
    put({ questions, requests = {} }) {
      const { promise, resolve } = createDeferred<Reaction>()
      settle = resolve
      given = {}
      for (const [key, question] of Object.entries(questions)) mint({ key, question })
      for (const [key, request] of Object.entries(requests)) mint({ key, request })
      if (open.size === 0) end({})
      return promise
    },
    open: () => Object.fromEntries([...open].map(([key, asked]) => [key, toRequest(asked)])),
    async answer(responses) {
      let answered = false
      for (const [key, response] of Object.entries(responses)) answered = (await take(key, response)) || answered
      if (answered && open.size === 0) end(given)
      return answered
    },
    cancel: () => end("cancelled"),
  }
}

/** Reads the response to one question. Returns `undefined` if it does not fit. */
async function readOne(
  { key, question, request }: Open,
  response: unknown,
): Promise<{ readonly value: unknown } | "declined" | "cancelled" | undefined> {
  const context: Pick<CallContext, "inputResponses"> = { inputResponses: { [key]: response } }
  if (request !== undefined) {
    const read: Readonly<Record<string, ClientResponse>> | undefined = readResponses(context, { [key]: request })
    return read && { value: read[key] }
  }
  const read = await readAnswers(context, { [key]: question })
  return typeof read === "object" ? { value: read[key] } : read
}

function toRequest({ question, request }: Open): JsonValue {
  if (request !== undefined) return toJson({ method: request.method, params: request.params })
  const { message, schema } = question
  return toJson({ method: "elicitation/create", params: { mode: "form", message, requestedSchema: schema } })
}
