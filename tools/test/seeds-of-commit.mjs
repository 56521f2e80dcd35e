import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { root } from "../launch/workspace.mjs"

/** Returns as many seeds as there are rounds, made from the hash of the last commit. */
export function seedsOfCommit(rounds) {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim()
  const seed = (round) => createHash("sha256").update(`${commit} ${round}`).digest().readUInt32BE() >>> 1
  return Array.from({ length: rounds }, (_, round) => seed(round + 1))
}
