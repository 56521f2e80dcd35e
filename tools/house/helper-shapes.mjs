// Finds duplicated helpers by the shape of their code, whatever their names.
import ts from "typescript"
import { nodesIn, placeOf } from "./read-sources.mjs"

const SHAPES = {
  "record check": isRecordCheck,
  "escape of a JSON Pointer": (node) => replaces(node, 1),
  "way back from an escaped JSON Pointer": (node) => replaces(node, 0),
  "compare by code units": isCompare,
  "hand-made deferred": isDeferred,
  "timer noted in the ledger": isNotedTimer,
  "JSON.parse or undefined": isParseOrUndefined,
  "run-once wrapper": isRunOnce,
  "compare in constant time": isConstantTimeCompare,
}

/** Returns the places of each shape in the given sources. */
export function findShapes(sources) {
  return Object.entries(SHAPES).map(([shape, is]) => ({
    shape,
    places: sources.flatMap((source) =>
      [...nodesIn(source.tree)].filter((node) => is(node)).map((node) => placeOf(source, node)),
    ),
  }))
}

/** `typeof x === "object" && x !== null && !Array.isArray(x)`, in any order, or its negation. */
function isRecordCheck(node) {
  const sign = signOf(node)
  if (!isLogical(sign) || signOf(node.parent) === sign) return false
  const parts = operands(node, sign).map((part) => part.getText())
  const arrays = parts.flatMap((part) => /^!?Array\.isArray\((.+)\)$/s.exec(part)?.[1] ?? [])
  return arrays.some((checked) =>
    parts.some((part) => part.startsWith(`typeof ${checked} `) && part.endsWith('"object"')),
  )
}

function signOf(node) {
  if (ts.isParenthesizedExpression(node)) return signOf(node.parent)
  return ts.isBinaryExpression(node) ? node.operatorToken.kind : undefined
}

function isLogical(sign) {
  return sign === ts.SyntaxKind.AmpersandAmpersandToken || sign === ts.SyntaxKind.BarBarToken
}

function operands(node, sign) {
  if (ts.isParenthesizedExpression(node)) return operands(node.expression, sign)
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== sign) return [node]
  return [...operands(node.left, sign), ...operands(node.right, sign)]
}

/**
 * `.replaceAll("/", "~1")` has it as the second argument, `.replaceAll("~1", "/")` as the first; regular expressions count as
 * well.
 */
function replaces(node, position) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const named = ["replace", "replaceAll"].includes(node.expression.name.text)
  return named && /^(["'`]~1["'`]|\/~1\/g?)$/.test(node.arguments[position]?.getText() ?? "")
}

/** `a < b ? -1 : …`, `a > b ? 1 : …` or `if (a < b) return -1`, counted once if nested. */
function isCompare(node) {
  if (ts.isConditionalExpression(node)) {
    const nested = ts.isConditionalExpression(node.parent) && isCompare(node.parent)
    return isOrder(node.condition) && isSign(node.whenTrue) && !nested
  }
  return ts.isIfStatement(node) && isOrder(node.expression) && isSign(returned(node.thenStatement))
}

function isOrder(node) {
  const signs = [ts.SyntaxKind.LessThanToken, ts.SyntaxKind.GreaterThanToken]
  return ts.isBinaryExpression(node) && signs.includes(node.operatorToken.kind)
}

function isSign(node) {
  return node !== undefined && /^-?1$/.test(node.getText())
}

/** Returns the expression that a statement, or a block with only that statement, returns. */
function returned(statement) {
  const only = ts.isBlock(statement) && statement.statements.length === 1 ? statement.statements[0] : statement
  return only !== undefined && ts.isReturnStatement(only) ? only.expression : undefined
}

/** Recognises a promise whose `resolve` or `reject` is assigned to an outer variable. */
function isDeferred(node) {
  if (!ts.isNewExpression(node) || node.expression.getText() !== "Promise") return false
  const executor = node.arguments?.[0]
  if (executor === undefined || !ts.isFunctionLike(executor)) return false
  const settlers = new Set(executor.parameters.map(({ name }) => name.getText()))
  return [...nodesIn(executor.body)].some(
    (inner) => isAssignment(inner) && ts.isIdentifier(inner.left) && handsOut(inner.right, settlers),
  )
}

/**
 * Whether a node exposes a settler directly, in a function or in an object. Passing it as an argument, such as to a timer, does
 * not count.
 */
function handsOut(node, settlers) {
  const holds = ts.isIdentifier(node) || ts.isFunctionLike(node) || ts.isObjectLiteralExpression(node)
  return holds && mentions(node, settlers)
}

function isAssignment(node) {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken
}

function mentions(node, names) {
  return [...nodesIn(node)].some((inner) => ts.isIdentifier(inner) && names.has(inner.text))
}

/** Recognises `ledger.open("timer")`, which records a timer when it is started. */
function isNotedTimer(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  return node.expression.name.text === "open" && /^["'`]timer["'`]$/.test(node.arguments[0]?.getText() ?? "")
}

function isParseOrUndefined(node) {
  if (!ts.isTryStatement(node) || node.catchClause === undefined) return false
  const [first] = node.catchClause.block.statements
  const silent = first === undefined || (ts.isReturnStatement(first) && isNothing(first.expression))
  return silent && [...nodesIn(node.tryBlock)].some(isParse)
}

function isParse(node) {
  return ts.isCallExpression(node) && node.expression.getText() === "JSON.parse"
}

function isNothing(expression) {
  return expression === undefined || expression.getText() === "undefined"
}

/** Recognises a function that returns one which calls a given function only once, guarded by a flag. */
function isRunOnce(node) {
  if (!ts.isFunctionLike(node) || node.body === undefined || !ts.isBlock(node.body)) return false
  const outer = givenBackBy(node)
  const [first, second] = node.body.statements
  if (outer === undefined || first === undefined || second === undefined || !ts.isIfStatement(first)) return false
  const flag = first.expression.getText()
  const sets = ts.isExpressionStatement(second) && second.expression.getText() === `${flag} = true`
  const given = new Set(outer.parameters.map(({ name }) => name.getText()))
  return sets && [...nodesIn(node.body)].some((inner) => ts.isCallExpression(inner) && mentions(inner, given))
}

/** Returns the function that does nothing but return the given function. */
function givenBackBy({ parent }) {
  if (ts.isArrowFunction(parent)) return parent
  return ts.isReturnStatement(parent) && ts.isFunctionLike(parent.parent?.parent) ? parent.parent.parent : undefined
}

/** Recognises a constant-time comparison: differences of bytes combined with `|`. */
function isConstantTimeCompare(node) {
  if (!ts.isBinaryExpression(node)) return false
  const gathers = [ts.SyntaxKind.BarToken, ts.SyntaxKind.BarEqualsToken].includes(node.operatorToken.kind)
  return gathers && [...nodesIn(node.right)].some(isDifference)
}

function isDifference(node) {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.CaretToken
}
