// `pnpm texts [--hard] [path…]`: lists the texts that leave the process (errors, diagnostics, tool descriptions, help, labels,
// lines that rigs and tools print), each with its place. `--hard` lists only texts that the English check finds hard to read.
import { readFileSync } from "node:fs"
import { relative, resolve } from "node:path"
import ts from "typescript"
import { root } from "../launch/workspace.mjs"
import { textsOf } from "./judge-sentences.mjs"
import { findFiles } from "./read-sources.mjs"

const BESIDE_SOURCES = /\.(test|test-d|bench|fixture|browser\.test)\.(tsx?|jsx|mjs)$|\/test\//
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const below =
  paths.length > 0 ? paths.map((path) => relative(root, resolve(path))) : ["packages", "apps", "examples", "tools"]
const hard = process.argv.includes("--hard")

for (const file of findFiles(below, /\.(tsx?|jsx|mjs)$/)) {
  if (BESIDE_SOURCES.test(file)) continue
  const text = readFileSync(resolve(root, file), "utf8")
  for (const { line, text: said, judged } of textsOf(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)))
    if (!hard || judged.some(({ mostly, pronoun }) => mostly || pronoun)) console.log(`${file}:${line} ${said}`)
}
