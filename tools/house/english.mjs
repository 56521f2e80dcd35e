// `node tools/house/english.mjs [path…]`: lists the sentences of comments and documents that are hard to read, each with its place,
// and prints both shares; of everything, or of the given files and folders. `pnpm house` limits the shares.
import { relative, resolve } from "node:path"
import { root } from "../launch/workspace.mjs"
import { sharesOf } from "./judge-sentences.mjs"
import { judgeFile } from "./measure-english.mjs"
import { findFiles } from "./read-sources.mjs"

const paths = process.argv.slice(2).map((path) => relative(root, resolve(path)))
const files = findFiles(paths, /\.(tsx?|mts|mjs|md)$/)
const judged = files.flatMap(judgeFile)
for (const { file, line, text, mostly, pronoun } of judged)
  if (mostly || pronoun)
    console.log(`${file}:${line} [${[mostly && "words", pronoun && "begins"].filter(Boolean)}] ${text}`)
const { sentences, mostly, pronoun } = sharesOf(judged)
console.log(
  `\n${sentences} sentences in ${files.length} files: ${percent(mostly)} mostly function words, ${percent(pronoun)} begin with a pronoun`,
)

function percent(share) {
  return `${(share * 100).toFixed(1)} %`
}
