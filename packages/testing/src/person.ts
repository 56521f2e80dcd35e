import type { Client } from "@modelcontextprotocol/client"
import type { JsonSchema } from "@x/agentic-service"
import { isRecord } from "@x/tool-schemas/json"
import { TestingError } from "./testing-error.js"

/** What a person who is asked sees. */
export interface Asked {
  /** The question. */
  readonly message: string
  /** JSON Schema of the form that is filled in; one required boolean where there is only to accept or to decline. */
  readonly schema: JsonSchema
}

/** A form that is filled in: values by property. */
export type Form = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** What a person does: fills in the form, accepts it with every yes that it wants, says no, or goes away. */
export type Reaction = Form | "accept" | "decline" | "cancel"

/** What a person does about the questions of one call: one answer, one for each question in order, or whatever a function says. */
export type Reactions = Reaction | readonly Reaction[] | ((asked: Asked) => Reaction | Promise<Reaction>)

/** The person in front of a client. */
export interface Person {
  /**
   * Has the person react so while a call runs; such calls wait for each other.
   *
   * @throws TestingError `unanswered`, `unasked`.
   */
  during<Result>(
    reactions: Reactions,
    run: () => Promise<Result>,
  ): Promise<{ result: Result; asked: readonly string[] }>
  /** What was asked while nobody was there, since this was last called. */
  strays(): readonly string[]
}

/** One person's answers to the questions of one call. */
interface Turn {
  react(asked: Asked): Reaction | undefined | Promise<Reaction>
  left(): number
  readonly asked: string[]
  readonly unanswered: string[]
}

/** Puts a person in front of a client that is not connected yet. */
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
  const questions = asked.length === 0 ? "nothing was asked" : `asked was only: ${asked.join("; ")}`
  throw new TestingError("unasked", `${left()} more answers than questions: ${questions}`)
}

/** Says what was asked in vain. */
export function toUnanswered(questions: readonly string[]): TestingError {
  return new TestingError(
    "unanswered",
    `the person was asked, and the test has no answer: ${questions.join("; ")}. ` +
      'Give one: call(name, args, { answers: "accept" }), or a form that is filled in',
  )
}

function toResult(reaction: Reaction, schema: JsonSchema) {
  if (reaction === "decline" || reaction === "cancel") return { action: reaction }
  return { action: "accept" as const, content: toContent(reaction === "accept" ? toYes(schema) : reaction) }
}

/** Ticks what has to be ticked. */
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
