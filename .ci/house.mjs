// `pnpm house`: prints how the packages are built, and holds the limits of CONTRIBUTING that no linter knows: what is read
// together lies together, nothing leads back to itself, one job is written in one place, every test holds something.
import { findShapes } from "./house/helper-shapes.mjs"
import { circles, importedOnce, importGraph } from "./house/import-graph.mjs"
import { codeLines, functionsByLength, longestFile } from "./house/measure.mjs"
import { publicNames } from "./house/public-names.mjs"
import { readPackages, readTests } from "./house/read-sources.mjs"
import { findTests, withoutAssertion, withSameBody } from "./house/tests.mjs"

const MOST = {
  // Each list and panel of the live view is drawn by a file that only what puts them together imports.
  importedOnce: { "live-view": 0.5, others: 0.2 },
  file: 300,
  functionLines: 60,
  rootTypes: { "mcp-adapter": 45 },
  codeLines: { packages: ["mcp-adapter", "tool-schemas"], lines: 17_290 },
}

const faults = []
const packages = readPackages()
const graph = importGraph(packages)

for (const one of packages) printPackage(one)
holdCodeLines()
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
  const most = MOST.importedOnce[one.name] ?? MOST.importedOnce.others
  // Of a few files, one or two are no share to speak of.
  if (share > most && once.length > 2)
    fault(
      `${one.name}: one source alone imports ${percent(share)} of its files, at most ${percent(most)}: ` +
        once.map(({ file: name }) => name.replace(`packages/${one.name}/src/`, "")).join(" "),
    )
  if (file.lines > MOST.file) fault(`${file.place} has ${file.lines} lines, at most ${MOST.file}`)
  for (const { place, lines } of functions.filter((each) => each.lines > MOST.functionLines))
    fault(`the function at ${place} has ${lines} lines, at most ${MOST.functionLines}`)
}

function printEntry({ name, sources }, { path, importedAs, file }) {
  const { values, types } = publicNames(sources.find((source) => source.file === file))
  console.log(`  ${importedAs}: ${values} values, ${types} types`)
  const most = path === "." ? MOST.rootTypes[name] : undefined
  if (most !== undefined && types > most) fault(`${importedAs} exports ${types} types, at most ${most}`)
}

function holdCodeLines() {
  const { packages: names, lines: most } = MOST.codeLines
  const sources = packages.filter(({ name }) => names.includes(name)).flatMap((one) => one.sources)
  const lines = sum(sources.map(codeLines))
  console.log(`\n${names.join(" and ")} together: ${lines} lines of code`)
  if (lines > most) fault(`${names.join(" and ")} have ${lines} lines of code together, at most ${most}`)
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
