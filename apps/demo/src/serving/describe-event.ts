import type { Outcome } from "@x/agentic-service"
import type { AdapterEvent, Diff, LinkEntry, StateEntry, ToolEntry } from "@x/mcp-adapter"
import type { Changes } from "@x/mcp-adapter/binding"

/** Describes an adapter's event in lines for a person; in none if a later event says more. */
export function describeEvent(event: AdapterEvent): readonly string[] {
  switch (event.type) {
    case "changed":
      return describeDiff(event.diff)
    case "call-started":
    case "call-caught-up":
      return []
    case "call-asked":
      return [`call     ${event.name} asks a person first`]
    case "call-handed":
      return [`call     ${event.name} goes on as a task`]
    case "call-stuck":
      return [`call     ${event.name} does not stop, though it was told to`]
    case "call-late":
      return [`call     ${event.name} has ended after all; nobody waits for its result`]
    case "call-settled":
      return [`call     ${event.name} ${describeOutcome(event.outcome)} in ${Math.ceil(event.duration)} ms`]
    case "diagnostic":
      return [`note     ${event.diagnostic.code}: ${event.diagnostic.message}`]
  }
}

function describeDiff({ tools, states, links, values }: Diff): readonly string[] {
  return [
    ...describeChanges("tools", tools, ({ name }: ToolEntry) => name),
    ...describeChanges("links", links, ({ path }: LinkEntry) => path.join("/")),
    ...describe(
      "~ things",
      [...new Set([...tools.replaced, ...states.replaced, ...links.replaced].map(toPlace))],
      String,
    ),
    ...describe("~ values", values, ({ definition }: StateEntry) => definition.name),
  ]
}

/** Returns the place of a replaced service. */
function toPlace({ path }: { readonly path: readonly string[] }): string {
  return path.length === 0 ? "the application" : path.join("/")
}

function describeChanges<Entry>(
  kind: string,
  { appeared, vanished, redefined }: Changes<Entry>,
  toName: (entry: Entry) => string,
): readonly string[] {
  return [
    ...describe(`+ ${kind}`, appeared, toName),
    ...describe(`- ${kind}`, vanished, toName),
    ...describe(`~ ${kind}`, redefined, toName),
  ]
}

/** Returns one line for all entries, or none without entries. */
function describe<Entry>(what: string, entries: readonly Entry[], toName: (entry: Entry) => string): readonly string[] {
  return entries.length === 0 ? [] : [`${what.padEnd(8)} ${entries.map(toName).join(", ")}`]
}

function describeOutcome(outcome: Outcome): string {
  if (!outcome.ok) return `failed, ${outcome.code ?? "action_failed"}: ${outcome.message.replaceAll("\n", " ")}`
  return outcome.value === undefined ? "done" : `answered ${shorten(JSON.stringify(outcome.value))}`
}

/** Shortens a state to fit a line, after a whole word if possible. */
function shorten(text: string): string {
  if (text.length <= 100) return text
  const beginning = text.slice(0, 99)
  const word = /^.*[\s,:{[\]}]/.exec(beginning)?.[0].trimEnd() ?? ""
  return `${word.length > 50 ? word : beginning}…`
}
