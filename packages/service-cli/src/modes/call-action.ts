import type { CallAnswer, CallContext } from "@x/mcp-adapter"
import { type Arguments, readArguments } from "../arguments/read-arguments.js"
import { readPiped } from "../arguments/read-piped.js"
import type { CallLine } from "../command/command-line.js"
import type { Responses } from "../terminal/ask-person.js"
import { printOutcome } from "../terminal/print-outcome.js"
import type { ProgressBar } from "../terminal/show-progress.js"
import { findTerminal, type Terminal } from "../terminal/terminal.js"
import type { ModeSite } from "./mode-site.js"
import { untilSignal } from "./until-signal.js"

/** The most bytes that are read from standard input where nothing else is said. */
const MAX_INPUT = 4 * 1024 * 1024

/** Calls an action on the path that every client's call takes, asks the person where it wants to, and prints what it answers. */
export async function callAction(site: ModeSite, line: CallLine): Promise<number> {
  const { maxInput = MAX_INPUT } = site.options
  const args = await readArguments(line, () => readPiped(maxInput))
  const { stderr } = process
  const progress = stderr.isTTY ? (await import("../terminal/show-progress.js")).createProgressBar(stderr) : undefined
  const terminal = findTerminal()
  const patience = new AbortController()
  const release = untilSignal(() => patience.abort())
  try {
    const answer = await call(site, line, { args, signal: patience.signal, terminal, progress })
    progress?.clear()
    return await printAnswer(site, answer)
  } finally {
    progress?.clear()
    release()
  }
}

/** What goes with a call. */
interface CallParts {
  readonly args: Arguments
  readonly signal: AbortSignal
  readonly terminal: Terminal | undefined
  readonly progress: ProgressBar | undefined
}

async function call({ adapter }: ModeSite, line: CallLine, parts: CallParts): Promise<CallAnswer> {
  const { entry, title, yes } = line
  const { args, signal, terminal, progress } = parts
  const context: Partial<CallContext> = {
    client: "command-line",
    signal,
    // What asks a person can be asked here, or else is told so below.
    clientCapabilities: { elicitation: { form: {} } },
    ...(progress && { progress: progress.show }),
  }
  const again = (state: string, inputResponses: Responses): Promise<CallAnswer> =>
    adapter.call(entry.name, args, { ...context, requestState: state, inputResponses })
  let answer = await adapter.call(entry.name, args, context)
  while (answer.kind === "asked") {
    const { askPerson } = await import("../terminal/ask-person.js")
    answer = await again(answer.state, await askPerson(answer.questions, { terminal, yes, title }))
  }
  return answer
}

async function printAnswer({ command: { name } }: ModeSite, answer: CallAnswer): Promise<number> {
  switch (answer.kind) {
    case "settled":
      return printOutcome(name, answer.outcome)
    case "unknown":
      return printOutcome(name, { ok: false, message: `action "${answer.name}" is gone`, code: "not_available" })
    case "asked":
    case "incapable":
      return printOutcome(name, { ok: false, message: "a person has to be asked, and cannot be", code: "declined" })
  }
}
