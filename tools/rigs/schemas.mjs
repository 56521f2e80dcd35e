// `pnpm rig schemas [PATH…]`: publishes every schema of a checkout of the JSON Schema test suite, or of a JSON file of tool
// definitions, and 2,000 that are made up, in every profile, counts the results, checks them with vendors' programs (installed
// on first use), and validates every value of the suite. Exits with 1 if a vendor would reject a published schema, or if a
// value's verdict changes or differs from the suite's. SEED=n generates other schemas.
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { runnerImport } from "vite"
import { askVendors, blindVendors } from "../../apps/rigs/vendors/src/vendors.mjs"
import { installOnce } from "../launch/install-once.mjs"
import { build, root } from "../launch/workspace.mjs"

const DRAFTS = { "draft2020-12": "2020-12", draft7: "7" }
const SHOWN = 20
const MADE_UP = 2_000
/** Matches skipped tests: optional ones, formats (ours are checked if known), and custom dialects. */
const LEFT_OUT = /^(optional|format\.json|vocabulary\.json)/

installOnce(join(root, "apps", "rigs", "vendors", "programs"), "the vendors' programs (200 MB, once)", [
  "--omit=optional",
])
const { profileNames } = await load("src/profile-name.ts")
const { checkSuite } = await load("test/support/schema-suite.ts")
const { ownCases, toAsked } = await load("test/support/vendor-cases.ts")

const blind = await blindVendors()
for (const vendor of blind) console.log(`${vendor} accepts a schema that it must reject`)
let faults = blind.length
for (const path of process.argv.slice(2)) {
  const isSuite = statSync(path).isDirectory()
  for (const [name, cases] of isSuite ? suites(path) : [[path, tools(path)]]) {
    console.log(`\n${name}: ${cases.length} schemas`)
    for (const counts of checkSuite(cases)) faults += print(counts)
    faults += await printVendors(cases)
    if (isSuite) faults += await printChecks(cases)
  }
}
for (const [name, cases] of Object.entries(ownCases(MADE_UP, Number(process.env.SEED ?? 1)))) {
  console.log(`\n${name}: ${cases.length} schemas`)
  faults += await printVendors(cases)
}
process.exit(faults === 0 ? 0 : 1)

/** Loads a file of the schemas package. */
async function load(file) {
  const { module } = await runnerImport(join(root, "packages", "tool-schemas", file), {
    configFile: false,
    root: join(root, "packages", "tool-schemas"),
    logLevel: "error",
    ssr: { resolve: { conditions: ["@x/source", "module", "node"] } },
  })
  return module
}

/** Prints the verdicts of the vendors' programs. */
async function printVendors(cases) {
  let count = 0
  for (const profile of profileNames) {
    for (const { vendor, asked, faults } of await askVendors(toAsked(cases, profile), profile)) {
      console.log(`${profile.padEnd(14)} ${vendor}: ${asked} asked; ${faults.length} faults`)
      for (const fault of faults.slice(0, SHOWN)) console.log(`  ${fault.slice(0, 400)}`)
      count += faults.length
    }
  }
  return count
}

function print({ profile, published, refused, lossy, compared, faults }) {
  const codes = Object.entries(refused).map(([code, count]) => `${count} ${code}`)
  const refusals = codes.length > 0 ? `refused ${codes.join(", ")}` : "none refused"
  console.log(
    `${profile.padEnd(14)} published ${published}, ${refusals}; ${lossy} partly described in words; ` +
      `${compared} values compared; ${faults.length} faults`,
  )
  for (const fault of faults.slice(0, SHOWN)) console.log(`  ${fault.slice(0, 300)}`)
  return faults.length
}

/** Checks every value of the suite. */
async function printChecks(cases) {
  if (!build(["packages/agentic-service"])) process.exit(1)
  const { checkJson } = await import(join(root, "packages", "agentic-service", "dist", "adapter.js"))
  const wanted = cases.filter(({ name }) => !LEFT_OUT.test(name))
  const all = wanted.flatMap(({ name, schema, tests }) => tests.map((test) => ({ name, schema, ...test })))
  const checked = await Promise.all(all.map(async (one) => ({ ...one, ...(await checkJson(one.schema, one.data)) })))
  const compared = checked.filter(({ issues }) => !/expected one within the schema/.test(issues?.[0].message ?? ""))
  const faults = compared.filter(({ ok, valid }) => ok !== valid)
  console.log(`the check      ${compared.length} verdicts compared; ${faults.length} faults`)
  for (const { name, data, valid } of faults.slice(0, SHOWN)) {
    console.log(`  ${name}: ${JSON.stringify(data)} is ${valid ? "refused" : "taken"}`.slice(0, 300))
  }
  return faults.length
}

/** Returns the drafts of a checkout. */
function suites(folder) {
  return Object.entries(DRAFTS).map(([name, draft]) => {
    const from = join(folder, "tests", name)
    const files = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"))
    return [name, files.sort().flatMap((file) => groups(join(from, file), draft, file))]
  })
}

/** The suite of draft 7 names its draft only by its folder. */
function groups(file, draft, name) {
  return readJson(file).map(({ description, schema, tests }) => ({
    name: `${name} "${description}"`,
    schema:
      draft === "7" && typeof schema === "object"
        ? { $schema: "http://json-schema.org/draft-07/schema#", ...schema }
        : schema,
    draft,
    tests,
  }))
}

/** Returns the tools of a list, or of a result of tools/list. */
function tools(file) {
  const json = readJson(file)
  return (json.tools ?? json).map(({ name, inputSchema }) => ({
    name: `tool "${name}"`,
    schema: inputSchema,
    draft: /draft-0[467]/.test(inputSchema.$schema ?? "") ? "7" : "2020-12",
    tests: [],
  }))
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"))
}
