import type { Client } from "@modelcontextprotocol/client"
import type { JsonSchema } from "@x/agentic-service"
import { isRecord } from "@x/base"
import { TestingError } from "./testing-error.js"

/** A question to the person. */
export interface Asked {
  /** The question. */
  readonly message: string
  /** The JSON Schema of the form; one required boolean for a plain confirmation. */
  readonly schema: JsonSchema
}

/** A completed form: values by property. */
export type Form = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** A person's reaction: completes the form, accepts it with all required booleans set, declines, or cancels. */
export type Reaction = Form | "accept" | "decline" | "cancel"

/** Reactions to one call's questions: a single reaction, a list in order, or a function. */
export type Reactions = Reaction | readonly Reaction[] | ((asked: Asked) => Reaction | Promise<Reaction>)

/** A client's person. */
export interface Person {
  /**
   * Applies the reactions while a call runs. Such calls wait for each other.
   *
   * @throws TestingError `unanswered`, `unasked`.
   */
  during<Result>(
    reactions: Reactions,
    run: () => Promise<Result>,
  ): Promise<{ result: Result; asked: readonly string[] }>
  /** Returns the questions asked without a person since the last call of this method. */
  strays(): readonly string[]
}

/** A person's answers during one call. */
interface Turn {
  react(asked: Asked): Reaction | undefined | Promise<Reaction>
  left(): number
  readonly asked: string[]
  readonly unanswered: string[]
}

/** Creates a person for a client that is not connected yet. */
export function createPerson(client: Client): Person {
  let turn: Turn | undefined
  let strays: string[] = []
  let last: Promise<unknown> = Promise.resolve()
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const schema: JsonSchema = "requestedSchema" in params ? params.requestedSchema : {}
    turn?.asked.push(params.message)
    const reaction = await turn?.react({ message: params.message, schema })
    if (reaction === undefined) (turn?.unanswered ?? strays).push(params.message)
    return toResult(reaction ?? "cancel", schema)
  })
  const runTurn = async <Result>(reactions: Reactions, run: () => Promise<Result>) => {
    const own = createTurn(reactions)
    turn = own
    try {
      const result = await run()
      expectAllAnswered(own)
      return { result, asked: own.asked }
    } finally {
      turn = undefined
    }
  }
  return {
    during(reactions, run) {
      const done = last.then(() => runTurn(reactions, run))
      last = done.catch(() => undefined)
      return done
    },
    strays() {
      const since = strays
      strays = []
      return since
    },
  }
}

function createTurn(reactions: Reactions): Turn {
  const found = { asked: [], unanswered: [] }
  if (typeof reactions === "function") return { ...found, react: reactions, left: () => 0 }
  const line = isList(reactions) ? [...reactions] : [reactions]
  return { ...found, react: () => line.shift(), left: () => line.length }
}

function isList(reactions: Reaction | readonly Reaction[]): reactions is readonly Reaction[] {
  return Array.isArray(reactions)
}

function expectAllAnswered({ asked, unanswered, left }: Turn): void {
  if (unanswered.length > 0) throw toUnanswered(unanswered)
  if (left() === 0) return
  const questions = asked.length === 0 ? "nothing was asked" : `only asked: ${asked.join("; ")}`
  throw new TestingError(`found ${left()} more answers than questions: ${questions}`, { code: "unasked" })
}

/** Creates the error for unanswered questions. */
export function toUnanswered(questions: readonly string[]): TestingError {
  return new TestingError(
    `the test has no answer to the person's question: ${questions.join("; ")}. ` +
      'Pass one: call(name, args, { answers: "accept" }), or the values of the form',
    { code: "unanswered" },
  )
}

function toResult(reaction: Reaction, schema: JsonSchema) {
  if (reaction === "decline" || reaction === "cancel") return { action: reaction }
  return { action: "accept" as const, content: toContent(reaction === "accept" ? toYes(schema) : reaction) }
}

/** Sets the required booleans. */
function toYes(schema: JsonSchema): Form {
  if (!isRecord(schema) || !isRecord(schema["properties"]) || !Array.isArray(schema["required"])) return {}
  const { properties, required } = schema
  const ticks = Object.entries(properties).filter(
    ([key, field]) => required.includes(key) && isRecord(field) && field["type"] === "boolean",
  )
  return Object.fromEntries(ticks.map(([key]) => [key, true]))
}

function toContent(form: Form): Record<string, string | number | boolean | string[]> {
  return Object.fromEntries(
    Object.entries(form).map(([key, value]) => [key, typeof value === "object" ? [...value] : value]),
  )
}
