import type { Client, ProgressCallback } from "@modelcontextprotocol/client"
import { type Call, createCall, judgeAnswer, judgeRuns } from "./call.js"
import type { Names } from "./names.js"
import { createQuestions } from "./questions.js"
import { type Kind, PEOPLE, type Person, type Slot } from "./steps.js"
import { withdraw } from "./withdraw.js"
import type { World } from "./world.js"

/** Options of a seat. */
export interface SeatOptions {
  readonly person: Person
  readonly world: World
  readonly names: Names
  /** Whether questions leave out the document's title. */
  readonly vague: boolean
}

/** Creates one person at a client. It compares all that the person sees with the application's records. */
export function createSeat(options: SeatOptions) {
  const { person, world, names } = options
  const faults: string[] = []
  const calls: Call[] = []
  let client: Client | undefined
  let open: Call | undefined
  let leaving: Call | undefined
  let abort = new AbortController()
  let arrived = false
  const overhear = (text: string): void => void faults.push(...judgeText(person, text))
  const questions = createQuestions(options, { faults, open: () => open, leaving: () => leaving, overhear })
  const end = (call: Call, answer: string): void => {
    overhear(answer)
    call.answer = answer
    if (open === call) open = undefined
    if (!call.cancelled) faults.push(...judgeAnswer(call, world.ran))
  }
  const begin = (call: Call): void => {
    calls.push(call)
    open = call
    arrived = false
    abort = new AbortController()
    const onprogress: ProgressCallback = ({ message = "" }) => {
      overhear(message)
      faults.push(...judgeProgress(call, message))
    }
    client?.callTool(toParams(call, names), { signal: abort.signal, onprogress }).then(
      (result) => end(call, JSON.stringify(result)),
      (error: unknown) => end(call, String(error)),
    )
  }
  return {
    faults,
    overhear,
    isBusy: () => open !== undefined,
    isAsked: questions.isAsked,
    answer: (yes: boolean) => questions.answer(yes ? "accept" : "decline"),
    call(slot: Slot, kind: Kind): void {
      if (open === undefined) begin(createCall({ number: calls.length + 1, slot, kind, ...options }))
    },
    /** Connects another client of the same person. The former client's question is lost. */
    take(next: Client): void {
      questions.answer("cancel")
      client = next
      next.setRequestHandler("elicitation/create", ({ params }) => questions.ask(params.message))
    },
    /** Records that the server has looked up the open call's name. */
    noteArrival(): void {
      arrived = true
    },
    /** Records that a document may have been replaced. */
    noteReplaced(): void {
      if (open === undefined) return
      const { began, slot } = open
      const doc = world.standing(slot)
      open.replaced ||= doc?.thing !== began?.thing || doc?.edition !== began?.edition
    },
    /** Records that a process or connection has ended. */
    noteLost: (): void => void (open && Object.assign(open, { lost: true })),
    /** Cancels the open call. Resolves once the server knows. */
    async cancel(): Promise<void> {
      if (client === undefined || open === undefined) return
      leaving = Object.assign(open, { cancelled: true })
      open = undefined
      await withdraw(client, () => {
        abort.abort()
        questions.answer("cancel")
      })
      leaving = undefined
    },
    /** Whether the open call rests: at its check, its question, its turn or its work. */
    rests(isFull: boolean): boolean {
      if (open === undefined || questions.isAsked()) return true
      const { check, run } = world.gates
      return check.holds(open.number) || run.holds(open.number) || (isFull && arrived)
    },
    /** Compares all runs with the application's records. */
    judge: (): void => void faults.push(...calls.flatMap((each) => judgeRuns(each, world.ran))),
  }
}

/** Returns what contradicts: no text is about the other person's documents. */
function judgeText(person: Person, text: string): string[] {
  const others = PEOPLE.filter((other) => other !== person && text.includes(`${other}'s`))
  return others.map((other) => `${person} got a text of ${other}: ${text}`)
}

function toParams({ slot, kind, number }: Call, names: Names) {
  return { name: names.tool(slot, kind), arguments: { call: number } }
}

/** A person at a client. */
export type Seat = ReturnType<typeof createSeat>

/** Returns what contradicts: a caller hears the progress of its own call, and nothing after it has cancelled. */
function judgeProgress(call: Call, message: string): string[] {
  // The SDK's client reports its own rounds.
  if (message.startsWith("Fulfilling input")) return []
  const story = JSON.stringify({ call, message })
  const meant = call.asked ?? call.began
  return [
    ...(call.cancelled ? [`got progress after the cancellation: ${story}`] : []),
    ...(message.includes(`${meant?.title}, for call ${call.number}.`) ? [] : [`got another call's progress: ${story}`]),
  ]
}
