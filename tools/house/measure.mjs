import ts from "typescript"
import { nodesIn, placeOf } from "./read-sources.mjs"

/** Returns the longest file of a package, with its number of lines and place. */
export function longestFile(sources) {
  return longest(sources.map(({ file, text }) => ({ place: file, lines: text.split("\n").length - 1 })))
}

/** Returns the functions, longest first; lengths include inner functions but no blank lines. */
export function functionsByLength(sources) {
  return sources
    .flatMap((source) =>
      [...nodesIn(source.tree)].filter(isFunctionBody).map((node) => ({
        place: placeOf(source, node),
        lines: node
          .getText(source.tree)
          .split("\n")
          .filter((line) => line.trim() !== "").length,
      })),
    )
    .sort((one, other) => other.lines - one.lines)
}

function isFunctionBody(node) {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined
}

function longest(measured) {
  return measured.reduce((most, next) => (next.lines > most.lines ? next : most), { place: "none", lines: 0 })
}

/** Counts the lines of a file with code, without blank lines and comments. */
export function codeLines({ tree }) {
  const lines = new Set()
  for (const node of nodesIn(tree)) for (const token of tokensOf(node, tree)) addLines(token)
  return lines.size

  function addLines(token) {
    const last = tree.getLineAndCharacterOfPosition(token.getEnd()).line
    for (let line = tree.getLineAndCharacterOfPosition(token.getStart(tree)).line; line <= last; line += 1)
      lines.add(line)
  }
}

/** Returns the tokens directly below a node: words, punctuation, and the texts of templates. */
function tokensOf(node, tree) {
  return node.getChildren(tree).filter((child) => ts.isTokenKind(child.kind) && child.getWidth(tree) > 0)
}
