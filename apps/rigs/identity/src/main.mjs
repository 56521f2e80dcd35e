// `pnpm rig identity [commit] [runs] [way]`: plays random lives over every way, or over one of them: http, in-memory, stdio,
// page, gateway. FUZZ_SEED chooses others; the seed is fixed without it. `commit` takes it from the last commit, so that CI
// tries other lives at each commit, and a second run of the same commit the same ones.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { root } from "../../../../tools/launch/workspace.mjs"
import { seedsOfCommit } from "../../../../tools/test/seeds-of-commit.mjs"

const given = process.argv.slice(2)
const ofCommit = given.includes("commit")
/** Lives of each way that an idle machine plays within a minute. A slower machine takes longer, and still plays them all. */
const RUNS_OF_COMMIT = "30"
const runs = given.find((each) => /^\d+$/.test(each)) ?? (ofCommit ? RUNS_OF_COMMIT : undefined)
const way = given.find((each) => each !== runs && each !== "commit")
const seed = ofCommit ? seedsOfCommit(1)[0] : (process.env.FUZZ_SEED ?? 1)
const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const named = way === undefined ? [] : ["--testNamePattern", `over '${way}' in`]
const args = [vitest, "run", "--config", "vitest.rigs.ts", "--project", "identity", ...named]
const env = { ...process.env, FUZZ_SEED: String(seed), ...(runs !== undefined && { IDENTITY_RUNS: runs }) }
console.log(`seed ${seed}`)
process.exit(spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status ?? 1)
