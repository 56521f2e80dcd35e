import { type Asker, labelQuestion, labelQuestions } from "@x/agentic-service/adapter"
import { cleanLine } from "@x/base"
import type { Asking } from "../identity.js"
import type { SourcePlace } from "./occupant.js"

/**
 * Creates a function that makes questions of the other side safe to show. Questions of a foreign side get a label with the
 * asker, and lose invisible characters. Questions of the application's own processes stay as they are.
 */
export function createLabel(
  source: SourcePlace | undefined,
  { foreign, name }: { readonly foreign: boolean; readonly name: string },
): (asking: Asking) => Asking {
  if (!foreign) return (asking) => asking
  return ({ confirm, ask }) => {
    const asker: Asker = source?.asker ?? { kind: "server", name }
    const title = cleanLine(source?.title?.() ?? "")
    // The title is text that the other side chose.
    const say = (message: string): string => (title === "" ? message : `In ${JSON.stringify(title)}: ${message}`)
    const questions = Object.entries(ask ?? {}).map(
      ([key, one]) => [key, { ...one, message: say(one.message) }] as const,
    )
    return {
      confirm: confirm === undefined ? undefined : labelQuestion({ message: say(confirm), schema: {} }, asker).message,
      ask: ask === undefined ? undefined : labelQuestions(Object.fromEntries(questions), asker),
    }
  }
}
