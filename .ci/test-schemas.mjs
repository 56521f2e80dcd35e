// `pnpm test:schemas [PATH…]`: publishes every schema of a checkout of the JSON Schema test suite, or of a JSON file of tool
// definitions, and 2,000 that are made up, in every profile; counts what came of it, has programs that vendors publish, installed on
// first use, look at it, and checks every value of the suite. Exit code 1 where a vendor would refuse what is published, where a
// value changes its verdict, or where the check has another than the suite. SEED=n makes up others.
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { runnerImport } from "vite"
import { askVendors, blindVendors } from "../apps/rigs/vendors/src/vendors.mjs"
import { installOnce } from "./install-once.mjs"
import { build, root } from "./workspace.mjs"

const DRAFTS = { "draft2020-12": "2020-12", draft7: "7" }
const PROFILES = ["portable", "anthropic", "openai", "openai-strict", "gemini", "verbatim"]
const SHOWN = 20
const MADE_UP = 2_000
/** What an implementation may leave out; formats, which hold here where they are known; and dialects that a schema makes for itself. */
const LEFT_OUT = /^(optional|format\.json|vocabulary\.json)/

installOnce(join(root, "apps", "rigs", "vendors", "programs"), "what vendors publish (200 MB, once)", [
  "--omit=optional",
])
const { checkSuite } = await loadSupport("schema-suite.ts")
const { ownCases, toAsked } = await loadSupport("vendor-cases.ts")

const blind = await blindVendors()
for (const vendor of blind) console.log(`${vendor} has nothing against what it has to refuse`)
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

/** What the tests of the package share. */
async function loadSupport(file) {
  const { module } = await runnerImport(join(root, "packages", "tool-schemas", "test", "support", file), {
    configFile: false,
    root: join(root, "packages", "tool-schemas"),
    logLevel: "error",
    ssr: { resolve: { conditions: ["@x/source", "module", "node"] } },
  })
  return module
}

/** What the vendors' programs say. */
async function printVendors(cases) {
  let count = 0
  for (const profile of PROFILES) {
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
    `${profile.padEnd(14)} published ${published}, ${refusals}; ${lossy} with something in words only; ` +
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

/** The drafts of a checkout. */
function suites(folder) {
  return Object.entries(DRAFTS).map(([name, draft]) => {
    const from = join(folder, "tests", name)
    const files = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"))
    return [name, files.sort().flatMap((file) => groups(join(from, file), draft, file))]
  })
}

/** The suite of draft 7 says nowhere what it is, apart from its folder. */
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

/** The tools of a list, or of the answer to tools/list. */
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
