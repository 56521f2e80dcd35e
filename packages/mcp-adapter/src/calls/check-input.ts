import type { Failure, Issue } from "@x/agentic-service"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Resolution } from "../catalogue/view.js"
import type { ActiveCall, Arguments } from "./active-call.js"

/** Input the action takes, or the failure that says where it is wrong. */
export type CheckedInput =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly failure: Failure }

/** Turns the arguments into the action's input and has the action check it. */
export async function checkInput(
  call: ActiveCall,
  { entry, action }: Extract<Resolution, { status: "available" }>,
): Promise<CheckedInput> {
  const extra = findExtra(call.args, entry)
  if (extra.length > 0) return { ok: false, failure: toInvalidInput(call.subject.name, extra) }
  const checked = await action.check(entry.toInput(call.args))
  if (checked.ok) return checked
  const { wrapped } = entry
  // The caller sees the arguments as they are published, so the places must be in those.
  const issues = wrapped === undefined ? checked.issues : checked.issues.map((issue) => into(wrapped, issue))
  return { ok: false, failure: toInvalidInput(call.subject.name, issues) }
}

/** Where the arguments are of our own making, the action's check never sees one that should not be there. */
function findExtra(args: Arguments, { schema, wrapped }: ToolEntry): readonly Issue[] {
  if (schema !== undefined && wrapped === undefined) return []
  const expected = wrapped === undefined ? "no arguments" : `only "${wrapped}"`
  const extra = Object.keys(args).filter((key) => key !== wrapped)
  return extra.map((key) => ({ path: [key], message: `expected ${expected}` }))
}

function into(key: string, { path, message }: Issue): Issue {
  return { path: [key, ...path], message }
}

/** A failure that lists what is wrong, by place: an item a line, at most twenty. */
export function toInvalidInput(name: string, issues: readonly Issue[]): Failure {
  const shown = issues.slice(0, shownIssues).map(formatIssue)
  const more = issues.length > shownIssues ? [`and ${issues.length - shownIssues} more`] : []
  return {
    ok: false,
    code: "invalid_input",
    message: [`the arguments of "${name}" are not valid:`, ...shown, ...more].join("\n"),
    recovery: "correct the arguments and call again",
  }
}

/** The place as a JSON Pointer (RFC 6901), where it is not the root. */
function formatIssue({ path, message }: Issue): string {
  const pointer = path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
  return pointer === "" ? `- ${message}` : `- ${pointer}: ${message}`
}

const shownIssues = 20
