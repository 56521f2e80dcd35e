// Finds tests without an assertion, and tests with the same body.
import ts from "typescript"
import { importedFile, nodesIn, placeOf } from "./read-sources.mjs"

const TEST_FUNCTIONS = new Set(["it", "test"])
const ASSERTING = /^(expect|expectTypeOf|assert)\b/

/** Returns the tests of the given files, each with its place, title and body. */
export function findTests(sources) {
  return sources
    .filter(({ file }) => file.endsWith(".test.ts"))
    .flatMap((source) => [...nodesIn(source.tree)].flatMap((node) => toTest(source, node)))
}

function toTest(source, node) {
  if (!ts.isCallExpression(node) || !TEST_FUNCTIONS.has(rootName(node.expression))) return []
  const body = node.arguments.find((argument) => ts.isFunctionLike(argument))
  if (body === undefined) return []
  const title = node.arguments[0]?.getText(source.tree) ?? ""
  // `it.each(table)(title, body)`: the table is part of the test.
  const table = ts.isCallExpression(node.expression) ? node.expression.getText(source.tree) : ""
  return [{ source, place: placeOf(source, node), title, body, table }]
}

/** `it` of `it(…)`, `it.concurrent(…)` and `it.each(…)(…)`. */
function rootName(expression) {
  if (ts.isIdentifier(expression)) return expression.text
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression))
    return rootName(expression.expression)
  return undefined
}

/** Returns tests whose body, including called functions of the repository, contains no assertion. */
export function withoutAssertion(tests, sources) {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const known = new Map()
  return tests.filter(({ source, body }) => !asserts(source, body))

  function asserts(source, body) {
    return [...nodesIn(body)].some((node) => ts.isCallExpression(node) && isAsserting(source, node.expression))
  }

  function isAsserting(source, called) {
    if (ASSERTING.test(called.getText(source.tree)) || called.getText(source.tree) === "fc.assert") return true
    return ts.isIdentifier(called) && functionAsserts(source, called.text)
  }

  function functionAsserts(source, name) {
    const key = `${source.file} ${name}`
    if (!known.has(key)) {
      known.set(key, false)
      known.set(key, findAssertion(source, name))
    }
    return known.get(key)
  }

  function findAssertion(source, name) {
    const declared = declaration(source, name)
    if (declared !== undefined) return asserts(source, declared)
    const from = importOf(source, name)
    const imported = from && byFile.get(importedFile(source.file, from.specifier))
    return imported !== undefined && functionAsserts(imported, from.name)
  }
}

function declaration({ tree }, name) {
  return [...nodesIn(tree)].find(
    (node) => (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) && node.name?.getText(tree) === name,
  )
}

/** Returns a name's source module, and its exported name. */
function importOf({ tree }, name) {
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement)) continue
    const bindings = statement.importClause?.namedBindings
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue
    const found = bindings.elements.find((element) => element.name.text === name)
    if (found) return { specifier: statement.moduleSpecifier.text, name: (found.propertyName ?? found.name).text }
  }
  return undefined
}

/** Returns groups of tests with the same body: word for word, or the same steps with other texts and numbers. */
export function withSameBody(tests) {
  const groups = [...groupBy(tests, bodyText), ...groupBy(tests.filter(hasSteps), stepsText)]
  return [...new Map(groups.map((group) => [group[0].place, group])).values()]
}

function bodyText({ body, table, source }) {
  return `${table}\n${body.getText(source.tree)}`.replaceAll(/\s+/g, " ")
}

/** Bodies of one or two steps may repeat; three or more equal steps count as a duplicate. */
function hasSteps({ body }) {
  return ts.isBlock(body.body) && body.body.statements.length >= 3
}

function stepsText(test) {
  return bodyText({ ...test, table: "" })
    .replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, '""')
    .replaceAll(/\b\d[\d_]*\b/g, "0")
}

/** Returns the groups with more than one member. */
function groupBy(tests, textOf) {
  const groups = new Map()
  for (const test of tests) groups.set(textOf(test), [...(groups.get(textOf(test)) ?? []), test])
  return [...groups.values()].filter((group) => group.length > 1)
}
