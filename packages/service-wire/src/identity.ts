import type { AgenticService, Questions } from "@x/agentic-service"
import { type ActionDefinition, durableThingOf, thingOf } from "@x/agentic-service/adapter"
import { toJson } from "@x/tool-schemas/json"
import type { ServiceIntro } from "./frames.js"
import { readQuestions } from "./members.js"

// What a call is bound to beside its name: what the service stands for, what the caller saw of the action, and what a person
// was asked. One side writes it, the other compares.

/** The questions of an action about one input. */
export interface Asking {
  /** What has to be confirmed. */
  readonly confirm: string | undefined
  /** What has to be answered. */
  readonly ask: Questions | undefined
}

/** Writes questions as a text that is equal only for equal questions; empty where nothing is asked. */
export function writeWords({ confirm, ask }: Asking): string {
  const questions = ask === undefined ? undefined : readQuestions(toJson(ask))
  if (confirm === undefined && questions === undefined) return ""
  // Both sides compare them as they travel.
  return JSON.stringify(toJson([confirm ?? null, questions ?? null]))
}

/** Makes the questions of an action about checked input, as they travel. */
export function askingOf(
  action: { confirm?(input: unknown): unknown; ask?(input: unknown): Questions },
  input: unknown,
): Asking {
  const confirm = action.confirm?.(input)
  return { confirm: typeof confirm === "string" ? confirm : undefined, ask: action.ask?.(input) }
}

/**
 * Hashes what a caller goes by when it chooses an action, and when it decides whether a person has to be asked. A race is found
 * by it, not a forgery: only the application itself could forge its own definition.
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

/** Hashes a text to 53 bits (cyrb53): a cryptographic hash would be a tenth of a page's share. */
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

/** Makes the introduction of a service; with its identity for a side that compares it. */
export function introOf(service: AgenticService, things: boolean): ServiceIntro {
  const { name, description } = service
  return {
    name,
    ...(description !== undefined && { description }),
    ...(things && { thing: thingOf(service) }),
    ...(things && durableThingOf(service) !== undefined && { lasting: true }),
  }
}

/** Whether an introduction still holds. Asked for every service at every diff, so it looks only at what can change. */
export function holds(intro: ServiceIntro | undefined, service: AgenticService): boolean {
  if (intro === undefined || intro.name !== service.name || intro.description !== service.description) return false
  return intro.thing === undefined || service.occupancy === undefined || intro.thing === thingOf(service)
}
