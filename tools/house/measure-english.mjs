// Measures the English of packages, applications, tools and documents.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { root } from "../launch/workspace.mjs"
import { commentsOf, judgeSentences, proseOf, sharesOf } from "./judge-sentences.mjs"
import { findFiles } from "./read-sources.mjs"

const READ = /\.(tsx?|mts|mjs|md)$/
const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs", ".changeset"]

/** The shares of each part: `{ part, sentences, mostly, pronoun, empty }`; `empty` are the places of comments such as "None yet.". */
export function measureEnglish() {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`)
  const parts = [...packages, "apps", "examples", "tools"].map((part) => [part, [part]])
  return [...parts, ["docs", DOCUMENTS]].map(([part, folders]) => {
    const files = findFiles(folders, READ).filter((file) => !file.endsWith("CHANGELOG.md"))
    return { part, ...sharesOf(files.flatMap(judgeFile)), empty: files.flatMap(emptyComments) }
  })
}

/** The judged sentences of one file, each with its place. */
export function judgeFile(file) {
  const text = readFileSync(join(root, file), "utf8")
  const blocks = file.endsWith(".md") ? proseOf(text) : commentsOf(parse(file, text))
  return judgeSentences(blocks).map((one) => ({ file, ...one }))
}

function emptyComments(file) {
  if (file.endsWith(".md")) return []
  const blocks = commentsOf(parse(file, readFileSync(join(root, file), "utf8")))
  return blocks
    .filter(({ text }) => /^(None|Nothing|Nobody)( \w+)? yet\.$/.test(text))
    .map(({ line }) => `${file}:${line}`)
}

function parse(file, text) {
  return { text, tree: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) }
}
