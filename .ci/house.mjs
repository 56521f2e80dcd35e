// `pnpm house`: prints how each package is built (sources, lines, single importers), and checks the rules of CONTRIBUTING that
// no linter knows: import circles, duplicated helpers, tests without an assertion. How long files and functions may be, Biome says.
import { findShapes } from "./house/helper-shapes.mjs"
import { circles, importedOnce, importGraph } from "./house/import-graph.mjs"
import { codeLines, functionsByLength, longestFile } from "./house/measure.mjs"
import { publicNames } from "./house/public-names.mjs"
import { readPackages, readTests } from "./house/read-sources.mjs"
import { findTests, withoutAssertion, withSameBody } from "./house/tests.mjs"

const MOST = {
  rootTypes: { "mcp-adapter": 45 },
}

const faults = []
const packages = readPackages()
const graph = importGraph(packages)

for (const one of packages) printPackage(one)
for (const circle of circles(graph)) fault(`these import each other in a circle: ${circle.join(", ")}`)
for (const found of findShapes(packages.flatMap(({ sources }) => sources))) holdShape(found)
holdTests()

for (const text of faults) console.error(`✗ ${text}`)
console.log(faults.length === 0 ? "\nthe house holds" : `\n${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1

function printPackage(one) {
  const { inside, once } = importedOnce(one, graph)
  const share = inside.length === 0 ? 0 : once.length / inside.length
  const file = longestFile(one.sources)
  const functions = functionsByLength(one.sources)
  const [longest] = functions
  console.log(`\n${one.name}: ${one.sources.length} sources, ${sum(one.sources.map(codeLines))} lines of code`)
  console.log(`  imported by one source only: ${once.length} of ${inside.length}, ${percent(share)}`)
  console.log(`  longest file ${file.lines} (${file.place}), longest function ${longest.lines} (${longest.place})`)
  for (const entry of one.entries) printEntry(one, entry)
}

function printEntry({ name, sources }, { path, importedAs, file }) {
  const { values, types } = publicNames(sources.find((source) => source.file === file))
  console.log(`  ${importedAs}: ${values} values, ${types} types`)
  const most = path === "." ? MOST.rootTypes[name] : undefined
  if (most !== undefined && types > most) fault(`${importedAs} exports ${types} types, at most ${most}`)
}

function holdShape({ shape, places }) {
  console.log(`${shape}: ${places.length === 1 ? places[0] : `${places.length} places`}`)
  if (places.length > 1) fault(`${shape}, in ${places.length} places instead of one: ${places.join(", ")}`)
}

function holdTests() {
  const sources = readTests()
  const tests = findTests(sources)
  console.log(`\n${tests.length} tests`)
  for (const { place, title } of withoutAssertion(tests, sources)) fault(`${place} expects nothing: ${title}`)
  for (const group of withSameBody(tests))
    fault(`the same body, ${group.length} times: ${group.map(({ place }) => place).join(", ")}`)
}

function fault(text) {
  faults.push(text)
}

function percent(share) {
  return `${Math.round(share * 100)} %`
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
