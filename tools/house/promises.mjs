// Finds promises of SECURITY.md whose proof is gone: each row of its table names test files and the titles in them.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../launch/workspace.mjs"
import { RIGS } from "../rigs/rigs.mjs"

/** The folder of test files that are named without theirs. */
const USUAL = join("packages", "mcp-adapter")

/** Returns a sentence for each promise without a proof, and for each named file, title or rig that does not exist. */
export function brokenPromises(text = readFileSync(join(root, "SECURITY.md"), "utf8")) {
  const rows = [...text.matchAll(/^\| (?!promise|---)(.+) \| (.+) \|$/gm)]
  if (rows.length === 0) return ["SECURITY.md has no table of promises"]
  return rows.flatMap(([, promise, proof]) => faultsOf(proof).map((fault) => `SECURITY.md: "${promise}" ${fault}`))
}

function faultsOf(proof) {
  const files = [...proof.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => toPath(file))
  const missing = files.filter((file) => !existsSync(join(root, file)))
  const texts = files.filter((file) => !missing.includes(file)).map((file) => readFileSync(join(root, file), "utf8"))
  const titles = [...proof.matchAll(/"([^"]+)"/g)].map(([, title]) => title)
  const rigs = [...proof.matchAll(/`pnpm rig ([\w-]+)/g)].map(([, name]) => name)
  return [
    ...(files.length === 0 ? ["names no test"] : []),
    ...missing.map((file) => `names ${file}, which does not exist`),
    ...titles.filter((title) => !texts.some(hasTitle(title))).map((title) => `names a test that is gone: "${title}"`),
    ...rigs.filter((name) => RIGS[name] === undefined).map((name) => `names the rig ${name}, which does not exist`),
  ]
}

function toPath(file) {
  return /^(packages|apps|examples)\//.test(file) ? file : join(USUAL, file)
}

/** A title's "…" stands for any words, because tests of a table differ there. */
function hasTitle(title) {
  const parts = title.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  const quoted = new RegExp(`["'\`].*${parts.join(".*")}`)
  return (text) => quoted.test(text)
}
