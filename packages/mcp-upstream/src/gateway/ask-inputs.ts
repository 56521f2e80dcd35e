import { isRecord } from "@x/base"
import { inputsIn, inputVariable, type Values } from "./hosts/variables.js"

/** An input declared by a file, as in VS Code. */
export interface ConfigInput {
  /** Its id. */
  readonly id: string
  /** The description shown to the person. */
  readonly description: string
  /** Whether to hide the typed text. */
  readonly password: boolean
  /** The suggested value. */
  readonly suggested?: string
  /** The values to choose from. */
  readonly options?: readonly string[]
}

/** Asks for an input; `undefined` if nobody can be asked. */
type AskInput = (input: ConfigInput) => Promise<string | undefined>

/** Asks for each input that the entries name, once. */
export async function askInputs(
  entries: readonly (readonly [string, unknown])[],
  definitions: unknown,
  { environment, ask }: { readonly environment: Values["environment"]; readonly ask: AskInput | undefined },
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  for (const id of new Set(entries.flatMap(([, entry]) => inputsIn(entry)))) {
    if (ask === undefined || environment[inputVariable(id)] !== undefined) continue
    const definition = (Array.isArray(definitions) ? definitions : []).find(
      (each) => isRecord(each) && each["id"] === id,
    )
    const answer = await ask(toInput(id, isRecord(definition) ? definition : {}))
    if (answer !== undefined) answers.set(id, answer)
  }
  return answers
}

function toInput(
  id: string,
  { description, password, default: suggested, options }: Readonly<Record<string, unknown>>,
): ConfigInput {
  const choices = Array.isArray(options)
    ? options.map((each) => String(isRecord(each) ? each["value"] : each))
    : undefined
  return {
    id,
    description: typeof description === "string" ? description : id,
    password: password === true,
    ...(typeof suggested === "string" && { suggested }),
    ...(choices && { options: choices }),
  }
}
