// `pnpm house`: prints how each package is built (sources, lines, single importers), and checks the rules of CONTRIBUTING that
// no linter knows: import cycles, the layer rule, duplicated helpers, tests without an assertion, promises of SECURITY.md
// without their tests. Biome limits the length of files and functions.
import { withoutExample } from "./examples.mjs"
import { findShapes } from "./helper-shapes.mjs"
import { circles, importedOnce, importGraph } from "./import-graph.mjs"
import { layerFaults } from "./layers.mjs"
import { codeLines, functionsByLength, longestFile } from "./measure.mjs"
import { measureEnglish } from "./measure-english.mjs"
import { brokenPromises } from "./promises.mjs"
import { publicNames } from "./public-names.mjs"
import { readPackages, readTests } from "./read-sources.mjs"
import { findTests, withoutAssertion, withSameBody } from "./tests.mjs"

/** The largest share of sentences that are hard to read. The comments of the SDK and of rxjs have 1 to 2 %. */
const MOST_HARD = 0.02

const faults = []
const packages = readPackages()
const graph = importGraph(packages)

for (const one of packages) printPackage(one)
for (const circle of circles(graph)) fault(`found an import cycle: ${circle.join(", ")}`)
for (const text of layerFaults(packages)) fault(text)
for (const found of findShapes(packages.flatMap(({ sources }) => sources))) holdShape(found)
for (const text of brokenPromises()) fault(text)
holdTests()
holdEnglish()

for (const text of faults) console.error(`✗ ${text}`)
console.log(faults.length === 0 ? "\nno faults" : `\n${faults.length} faults`)
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
  for (const name of withoutExample(one)) fault(`${name} has no @example: add a short program that runs`)
}

function printEntry({ sources }, { importedAs, file }) {
  const { values, types } = publicNames(sources.find((source) => source.file === file))
  console.log(`  ${importedAs}: ${values} values, ${types} types`)
}

function holdShape({ shape, places }) {
  console.log(`${shape}: ${places.length === 1 ? places[0] : `${places.length} places`}`)
  if (places.length > 1) fault(`${shape}, in ${places.length} places instead of one: ${places.join(", ")}`)
}

function holdTests() {
  const sources = readTests()
  const tests = findTests(sources)
  console.log(`\n${tests.length} tests`)
  for (const { place, title } of withoutAssertion(tests, sources)) fault(`${place} has no assertion: ${title}`)
  for (const group of withSameBody(tests))
    fault(`found the same test body ${group.length} times: ${group.map(({ place }) => place).join(", ")}`)
}

/** Sentences that are mostly function words, or that begin with a pronoun, are hard to read: each at most 2 % of a part. */
function holdEnglish() {
  console.log("")
  for (const { part, sentences, mostly, pronoun, empty } of measureEnglish()) {
    const shares = `${oneDecimal(mostly)} % mostly function words, ${oneDecimal(pronoun)} % begin with a pronoun`
    console.log(`${part}: ${sentences} sentences, ${shares}`)
    const hard = `${part} is hard to read: ${shares}, at most 2 % each; "node tools/house/english.mjs ${part}" lists them`
    if (Math.max(mostly, pronoun) > MOST_HARD) fault(hard)
    for (const place of empty) fault(`${place} says nothing ("None yet."): say what is made, or leave it out`)
  }
}

function oneDecimal(share) {
  return (share * 100).toFixed(1)
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
