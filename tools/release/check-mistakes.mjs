import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** Mistakes of authors, one a line, each with the words that every compiler must say about it. */
const MISTAKES = [
  ["action({ description, execute: () => 'text' })", "NoStreamAndTextOnlyWithOutput"],
  ["action({ description, execute: () => of(1) })", "NoStreamAndTextOnlyWithOutput"],
  ["action({ description, input: Open, execute: ({ tetx }) => void tetx })", "Property 'tetx' does not exist"],
  ["createAgenticService({ name: 'x', actions: { go: { description, execute: () => {} } } })", "WrapInAction"],
  ["createAgenticService({ name: 'x', states: { s: { description, value: 1 } } })", "WrapInState"],
  ["createAgenticService({ name: 'x', links: { l: { description, service } } })", "WrapInLink"],
  ["action({ description, input: Hoisted, execute: () => {} })", "SchemaInlineOrAsConst"],
  ["state({ schema: Hoisted, value: { text: 'x' } })", "SchemaInlineOrAsConst"],
]

const PREAMBLE = `import { action, createAgenticService, state } from "@x/agentic-service"
import { of } from "rxjs"
const description = "An action"
const service = createAgenticService({ name: "x" })
const Hoisted = { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
const Open = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const
`

/** Writes the mistakes and their configuration into the folder of a consumer. */
export function writeMistakes(folder, compilerOptions) {
  writeFileSync(join(folder, "mistakes.ts"), `${PREAMBLE}${MISTAKES.map(([code]) => code).join("\n")}\n`)
  const config = { compilerOptions: { ...compilerOptions, noEmit: true }, files: ["mistakes.ts"] }
  writeFileSync(join(folder, "tsconfig.mistakes.json"), JSON.stringify(config))
}

/**
 * Compiles the mistakes.
 *
 * @returns The mistakes that a compiler's first message about their line does not name.
 */
export function findUnnamed(folder, tsc) {
  const args = [tsc, "-p", "tsconfig.mistakes.json", "--pretty", "false"]
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" })
  const before = PREAMBLE.split("\n").length
  return MISTAKES.flatMap(([code, expected], index) => {
    const said = stdout.split("\n").find((line) => line.startsWith(`mistakes.ts(${before + index},`)) ?? "nothing"
    return said.includes(expected) ? [] : [`${code}: expected "${expected}", the compiler says ${said}`]
  })
}
