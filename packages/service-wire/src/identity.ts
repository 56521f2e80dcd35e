import type { AgenticService, Questions } from "@x/agentic-service"
import { type ActionDefinition, durableThingOf, thingOf } from "@x/agentic-service/adapter"
import { toJson } from "@x/base"
import type { ServiceIntro } from "./frames.js"
import { readQuestions } from "./members.js"

// A call names more than its action: the service's identity, the definition that the caller saw, and the questions that a
// person answered. One side writes these, the other compares them.

/** An action's questions for one input. */
export interface Asking {
  /** The text to confirm. */
  readonly confirm: string | undefined
  /** The questions to answer. */
  readonly ask: Questions | undefined
}

/** Serializes questions so that equal texts mean equal questions. Returns an empty text if nothing is asked. */
export function writeWords({ confirm, ask }: Asking): string {
  const questions = ask === undefined ? undefined : readQuestions(toJson(ask))
  if (confirm === undefined && questions === undefined) return ""
  // Both sides compare the questions as they are sent.
  return JSON.stringify(toJson([confirm ?? null, questions ?? null]))
}

/** Returns the questions of an action for checked input. */
export function askingOf(
  action: { confirm?(input: unknown): unknown; ask?(input: unknown): Questions },
  input: unknown,
): Asking {
  const confirm = action.confirm?.(input)
  return { confirm: typeof confirm === "string" ? confirm : undefined, ask: action.ask?.(input) }
}

/**
 * Hashes the parts of a definition by which a caller chooses an action and decides whether to ask a person. The hash detects a
 * race, not a forgery: only the application itself could forge its own definition.
 */
export function gateOf({
  title,
  description,
  hints,
}: Pick<ActionDefinition, "title" | "description" | "hints">): number {
  const flags = [hints?.readOnly, hints?.destructive, hints?.idempotent, hints?.openWorld]
  return hashText(
    JSON.stringify([title ?? null, description, flags.map((flag) => (typeof flag === "boolean" ? flag : 0))]),
  )
}

/** Hashes a text to 53 bits (cyrb53). A cryptographic hash would add a tenth to the bundle of a page. */
function hashText(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0)
}

/** Returns the introduction of a service, with its identity for a side that compares identities. */
export function introOf(service: AgenticService, things: boolean): ServiceIntro {
  const { name, description } = service
  return {
    name,
    ...(description !== undefined && { description }),
    ...(things && { thing: thingOf(service) }),
    ...(things && durableThingOf(service) !== undefined && { lasting: true }),
  }
}

/**
 * Whether an introduction is still current. It is called for every service at every diff, so it compares only what can change.
 */
export function holds(intro: ServiceIntro | undefined, service: AgenticService): boolean {
  if (intro === undefined || intro.name !== service.name || intro.description !== service.description) return false
  return intro.thing === undefined || service.occupancy === undefined || intro.thing === thingOf(service)
}
