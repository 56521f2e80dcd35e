// `pnpm test:schemas PATH…`: publishes every schema of a checkout of the JSON Schema test suite, or of a JSON file of tool
// definitions, in every profile, and counts what came of it; and checks every value of the suite. Exit code 1 where a vendor would
// refuse what is published, where a value changes its verdict, or where the check has another than the suite.
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { runnerImport } from "vite"
import { build, root } from "./workspace.mjs"

const DRAFTS = { "draft2020-12": "2020-12", draft7: "7" }
const SHOWN = 20
/** What an implementation may leave out; formats, which hold here where they are known; and dialects that a schema makes for itself. */
const LEFT_OUT = /^(optional|format\.json|vocabulary\.json)/

const paths = process.argv.slice(2)
if (paths.length === 0) {
  console.error("which schemas? name a checkout of JSON-Schema-Test-Suite, or a JSON file of tool definitions")
  process.exit(2)
}

const { module } = await runnerImport(join(root, "packages", "tool-schemas", "test", "support", "schema-suite.ts"), {
  configFile: false,
  root: join(root, "packages", "tool-schemas"),
  logLevel: "error",
  ssr: { resolve: { conditions: ["@x/source", "module", "node"] } },
})

let faults = 0
for (const path of paths) {
  for (const [name, cases] of statSync(path).isDirectory() ? suites(path) : [[path, tools(path)]]) {
    console.log(`\n${name}: ${cases.length} schemas`)
    for (const counts of module.checkSuite(cases)) faults += print(counts)
    if (statSync(path).isDirectory()) faults += await printChecks(cases)
  }
}
process.exit(faults === 0 ? 0 : 1)

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
