import { Option } from "commander"
import type { Flag } from "./flag.js"
import { readValue } from "./read-value.js"

/** What was given by flags, by field. */
export type Given = Map<string, unknown>

/** A flag in the words of the argument parser. What it reads goes to `given`, for the parser's own names change letters. */
export function toOptions(flag: Flag, given: Given): readonly Option[] {
  const { name, repeats } = flag
  if (isSwitch(flag)) return toSwitch(flag, given)
  const option = new Option(`--${name} <${valueName(flag)}>`, describe(flag))
  option.argParser((text) => {
    const value = readValue(flag, text)
    const before = given.get(name)
    given.set(name, repeats ? [...(Array.isArray(before) ? before : []), value] : value)
  })
  return [option]
}

/** Whether a flag is a yes or no, which takes no value. */
export function isSwitch({ choices, kinds, repeats }: Flag): boolean {
  return !repeats && choices === undefined && kinds.length === 1 && kinds[0] === "boolean"
}

function toSwitch(flag: Flag, given: Given): readonly Option[] {
  const set = (text: string): void => void given.set(flag.name, text === "true")
  return [
    new Option(`--${flag.name}`, describe(flag)).preset("true").argParser(set),
    new Option(`--no-${flag.name}`).preset("false").argParser(set).hideHelp(),
  ]
}

/** The name that help gives to a flag's value. */
export function valueName({ kinds, choices }: Flag): string {
  if (choices !== undefined) return "choice"
  const [only] = kinds
  return kinds.length === 1 && only !== undefined && !["object", "array", "null"].includes(only) ? only : "json"
}

function describe({ choices, description, fallback, repeats, required }: Flag): string {
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.map(toText).join(", ")}`]),
    ...(repeats ? ["repeat it for more"] : []),
    ...(required ? ["required"] : []),
    ...(fallback === undefined ? [] : [`default: ${toText(fallback)}`]),
  ]
  return [description, ...(notes.length === 0 ? [] : [`(${notes.join("; ")})`])].filter(Boolean).join(" ")
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}
