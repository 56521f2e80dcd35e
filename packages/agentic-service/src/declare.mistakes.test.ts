import { join } from "node:path"
import ts from "typescript"
import { beforeAll, describe, expect, it } from "vitest"

const folder = import.meta.dirname

/** The code around the mistakes. */
const preamble = `
import { BehaviorSubject, of } from "rxjs"
import { z } from "zod"
import { action, createAgenticService, link, links, state } from "./index.js"
const description = "An action"
const Card = { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false } as const
const service = createAgenticService({ name: "x" })
declare function load(): Promise<{ id: string }>
interface Titled { title: string; tags: string[] }
declare const titled: Titled
const Hoisted = { type: "object", properties: { id: { type: "string" } }, required: ["id"] }
const Inner = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const
const Open = z.looseObject({ title: z.string() })
`

// Each mistake is one line, with the compiler's expected first line.
const mistakes: readonly (readonly [name: string, code: string, says: RegExp])[] = [
  [
    "an unknown option",
    "action({ description, confrm: () => 'Sure?', execute: () => {} })",
    /'confrm'.*Did you mean to write 'confirm'/,
  ],
  [
    "a wrong value",
    "action({ description, output: Card, execute: () => ({ id: 1 }) })",
    /^Type 'number' is not assignable to type 'string'/,
  ],
  [
    "a wrong key in a value",
    "action({ description, output: Card, execute: () => ({ idd: '1' }) })",
    /'\{ idd: string; \}' is not assignable.*readonly id: string/,
  ],
  [
    "no value",
    "action({ description, output: Card, execute: () => {} })",
    /^Type '\(\) => void' is not assignable.*Result<\{ readonly id: string; \}>/,
  ],
  [
    "a forgotten await",
    "action({ description, output: Card, execute: () => ({ id: load() }) })",
    /^Type 'Promise<\{ id: string; \}>' is not assignable to type 'string'/,
  ],
  [
    "a returned string",
    "action({ description, execute: () => 'text' })",
    /^Type 'string' is not assignable to type 'NoStreamAndTextOnlyWithOutput/,
  ],
  [
    "a promise of a string",
    "action({ description, execute: async () => 'text' })",
    /^Type 'Promise<string>' is not assignable to type 'NoStreamAndTextOnlyWithOutput/,
  ],
  [
    "a returned observable",
    "action({ description, execute: () => of(1) })",
    /^Type 'Observable<number>' is not assignable to type 'NoStreamAndTextOnlyWithOutput/,
  ],
  [
    "a returned generator",
    "action({ description, execute: async function* () { yield 1 } })",
    /AsyncGenerator.*NoStreamAndTextOnlyWithOutput/,
  ],
  [
    "a condition of text",
    "action({ description, when: of('yes'), execute: () => {} })",
    /^Type 'Observable<string>' is not assignable to type 'When'/,
  ],
  [
    "a question that is none",
    "action({ description, confirm: () => true, execute: () => {} })",
    /^Type '\(\) => boolean' is not assignable to type '\(input: undefined\) => string'/,
  ],
  [
    "a misspelt type",
    "action({ description, input: { type: 'objct' }, execute: () => {} })",
    /'"objct"'.*Did you mean '"object"'/,
  ],
  [
    "a key the input has not",
    "action({ description, input: Card, execute: ({ idd }) => void idd })",
    /^Property 'idd' does not exist on type '\{ id: string; \}'/,
  ],
  [
    "an observable of a wrong type",
    "state({ schema: { type: 'integer' }, value: new BehaviorSubject('x') })",
    /^Type 'BehaviorSubject<string>' is not assignable to type 'Source<number>'/,
  ],
  ["a state without schema and media type", "state({ value: 1 })", /NeedsSchemaOrMediaType/],
  [
    "an unknown option of a state",
    "state({ schema: { type: 'integer' }, valeu: 1, value: 1 })",
    /'valeu'.*Did you mean to write 'value'/,
  ],
  [
    "a wrong key in a service",
    "createAgenticService({ name: 'x', actoins: {} })",
    /'actoins'.*Did you mean to write 'actions'/,
  ],
  [
    "a state among the actions",
    "createAgenticService({ name: 'x', actions: { s: state({ schema: Card, value: { id: '' } }) } })",
    /^Type 'StateDeclaration' is not assignable to type 'ActionDeclaration'/,
  ],
  [
    "an action without its call",
    "createAgenticService({ name: 'x', actions: { go: { description, execute: () => {} } } })",
    /^Type 'string' is not assignable to type 'WrapInAction'/,
  ],
  [
    "a state without its call",
    "createAgenticService({ name: 'x', states: { s: { description, value: 1 } } })",
    /^Type 'string' is not assignable to type 'WrapInState'/,
  ],
  [
    "a link without its call",
    "createAgenticService({ name: 'x', links: { l: { description, service } } })",
    /^Type 'string' is not assignable to type 'WrapInLink'/,
  ],
  [
    "an input's schema that is kept elsewhere without `as const`",
    "action({ description, input: Hoisted, execute: () => {} })",
    /is not assignable to type 'SchemaInlineOrAsConst \| undefined'/,
  ],
  [
    "an output's schema that is kept elsewhere without `as const`",
    "action({ description, output: Hoisted, execute: () => ({ id: '1' }) })",
    /is not assignable to type 'SchemaInlineOrAsConst \| undefined'/,
  ],
  [
    "a state's schema that is kept elsewhere without `as const`",
    "state({ schema: Hoisted, value: { id: '1' } })",
    /is not assignable to type 'SchemaInlineOrAsConst \| undefined'/,
  ],
  [
    "a key that an open input does not name",
    "action({ description, input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }, execute: ({ tetx }) => void tetx })",
    /^Property 'tetx' does not exist on type '\{ text: string; \}'/,
  ],
  [
    "a key that an open object inside an input does not name",
    "action({ description, input: { type: 'object', properties: { a: Inner }, required: ['a'] }, execute: ({ a }) => void a.tetx })",
    /^Property 'tetx' does not exist on type '\{ text: string; \}'/,
  ],
  [
    "a link to no service",
    "link({ service: of('x') })",
    /^Type 'Observable<string>' is not assignable to type 'Source<AgenticService \| null \| undefined>'/,
  ],
  [
    "a key that is no text",
    "links({ of: of([{ id: 1 }]), key: ({ id }) => id, service: () => service })",
    /^Type 'number' is not assignable to type 'string'/,
  ],
]

// For a missing property the compiler says so in its second line.
const lacking: readonly (readonly [name: string, code: string, says: RegExp])[] = [
  ["no description", "action({ execute: () => {} })", /^Property 'description' is missing/],
  ["no execute", "action({ description })", /^Property 'execute' is missing/],
  ["no name", "createAgenticService({ actions: {} })", /^Property 'name' is missing/],
]

const right: readonly (readonly [name: string, code: string])[] = [
  [
    "an interface for an open object",
    "state({ schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }, value: titled })",
  ],
  ["an interface for an open zod object", "action({ description, output: Open, execute: async () => titled })"],
  ["a list of interfaces", "state({ schema: z.array(Open), value: of([titled]) })"],
  [
    "any key of an input without names",
    "action({ description, input: { type: 'object' }, execute: ({ whatever }) => ({ whatever }) })",
  ],
  [
    "further keys of an input that says what they are",
    "action({ description, input: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: { type: 'integer' } }, execute: (input) => ({ n: input.n, other: input['other'] }) })",
  ],
  ["a schema kept elsewhere", "action({ description, input: Card, output: Card, execute: (card) => card })"],
]

describe("the compiler", () => {
  let said: ReadonlyMap<string, readonly string[]>
  beforeAll(() => {
    said = compile([...mistakes, ...lacking, ...right].map(([, code]) => code))
  })

  it.each(mistakes)("names %s in its first line", (_, code, says) => {
    expect(said.get(code)?.[0]).toMatch(says)
  })

  it.each(lacking)("names the missing property: %s", (_, code, says) => {
    expect(said.get(code)?.[1]).toMatch(says)
  })

  it.each(right)("accepts %s", (_, code) => {
    expect(said.get(code)).toBeUndefined()
  })
})

/** Compiles a file with one statement per line, and returns the lines of each statement's first message. */
function compile(statements: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const file = join(folder, "mistakes.ts")
  const text = `${preamble}${statements.join("\n")}\n`
  const { config } = ts.readConfigFile(join(folder, "../../../tsconfig.base.json"), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, noEmit: true }, folder)
  const host = ts.createCompilerHost(options)
  const program = ts.createProgram([file], options, {
    ...host,
    fileExists: (path) => path === file || host.fileExists(path),
    readFile: (path) => (path === file ? text : host.readFile(path)),
    getSourceFile: (path, ...rest) =>
      path === file ? ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true) : host.getSourceFile(path, ...rest),
  })
  const source = program.getSourceFile(file)
  const before = preamble.split("\n").length - 1
  const said = new Map<string, readonly string[]>()
  for (const { start = 0, messageText } of program.getSemanticDiagnostics(source)) {
    const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) - before
    const code = statements[line] ?? `line ${line} of the preamble`
    const lines = ts
      .flattenDiagnosticMessageText(messageText, "\n")
      .split("\n")
      .map((one) => one.trim())
    if (!said.has(code)) said.set(code, lines)
  }
  return said
}
