import { formatPointer } from "@x/tool-schemas/json"
import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser"
import { parse as parseToml, TomlError } from "smol-toml"
import { LineCounter, parseDocument } from "yaml"

/** What a text holds, or why it holds nothing. */
export type ParsedText =
  | {
      /** What it holds: plain data. */
      readonly value: unknown
      /** What will not do what its writer may think. */
      readonly warnings: readonly string[]
    }
  | {
      /** What is wrong with it, without any of its words: there are secrets in such files. */
      readonly fault: string
    }

/** Reads the text of a configuration file, as the name of the file says: TOML, YAML, or JSON with comments. */
export function parseConfigText(text: string, file: string): ParsedText {
  if (/\.toml$/i.test(file)) return readToml(text)
  if (/\.ya?ml$/i.test(file)) return readYaml(text)
  return readJson(text)
}

function readJson(text: string): ParsedText {
  const faults: ParseError[] = []
  const tree = parseTree(text, faults, { allowTrailingComma: true })
  const first = faults[0]
  if (tree === undefined || first !== undefined)
    return { fault: `is no JSON${placeIn(text, first?.offset ?? text.length)}` }
  const twice = writtenTwice(tree, []).map((path) => `${formatPointer(path)}: is written twice, and the last counts`)
  return { value: getNodeValue(tree), warnings: twice }
}

function readToml(text: string): ParsedText {
  try {
    // Dates become texts.
    return { value: JSON.parse(JSON.stringify(parseToml(text))), warnings: [] }
  } catch (cause) {
    const place = cause instanceof TomlError ? `: look at line ${cause.line}, character ${cause.column}` : ""
    return { fault: `is no TOML${place}` }
  }
}

function readYaml(text: string): ParsedText {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [first] = document.errors
  if (first !== undefined) {
    const { line, col } = lines.linePos(first.pos[0])
    return { fault: `is no YAML: look at line ${line}, character ${col}` }
  }
  try {
    return { value: JSON.parse(JSON.stringify(document.toJS() ?? null)), warnings: [] }
  } catch {
    return { fault: "is no YAML that can be used: it repeats parts of itself without end" }
  }
}

function placeIn(text: string, offset: number): string {
  if (text.slice(offset).trim() === "") return ": it ends too early"
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/)
  return `: look at line ${lines.length}, character ${(lines.at(-1)?.length ?? 0) + 1}`
}

function writtenTwice({ type, children = [] }: Node, path: readonly string[]): readonly (readonly string[])[] {
  if (type === "array") return children.flatMap((child, index) => writtenTwice(child, [...path, String(index)]))
  const seen = new Set<string>()
  return children.flatMap(({ children: [key, value] = [] }) => {
    const name = String(key?.value)
    const at = [...path, name]
    const twice = seen.has(name) ? [at] : []
    seen.add(name)
    return value === undefined ? twice : [...twice, ...writtenTwice(value, at)]
  })
}
