import { formatPointer } from "@x/base"
import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser"
import { parse as parseToml, TomlError } from "smol-toml"
import { LineCounter, parseDocument } from "yaml"

/** The value of a text, or the fault that prevents parsing. */
export type ParsedText =
  | {
      /** The value, as plain data. */
      readonly value: unknown
      /** Parts that may not do what their author expects. */
      readonly warnings: readonly string[]
    }
  | {
      /** The fault, without any quote of the text, since such files contain secrets. */
      readonly fault: string
    }

/** Parses a configuration file by its file name: TOML, YAML, or JSON with comments. */
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
    return { fault: `is not valid JSON${placeIn(text, first?.offset ?? text.length)}` }
  const twice = writtenTwice(tree, []).map(
    (path) => `${formatPointer(path)}: is written twice: only the last one counts`,
  )
  return { value: getNodeValue(tree), warnings: twice }
}

function readToml(text: string): ParsedText {
  try {
    // Dates become texts.
    return { value: JSON.parse(JSON.stringify(parseToml(text))), warnings: [] }
  } catch (cause) {
    const place = cause instanceof TomlError ? `: look at line ${cause.line}, character ${cause.column}` : ""
    return { fault: `is not valid TOML${place}` }
  }
}

function readYaml(text: string): ParsedText {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [first] = document.errors
  if (first !== undefined) {
    const { line, col } = lines.linePos(first.pos[0])
    return { fault: `is not valid YAML: look at line ${line}, character ${col}` }
  }
  try {
    return { value: JSON.parse(JSON.stringify(document.toJS() ?? null)), warnings: [] }
  } catch {
    return { fault: "cannot be used: its YAML aliases repeat without end" }
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
