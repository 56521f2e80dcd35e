import ts from "typescript"
import { nodesIn, placeOf } from "./read-sources.mjs"

/** The longest file of a package: its lines, and where it is. */
export function longestFile(sources) {
  return longest(sources.map(({ file, text }) => ({ place: file, lines: text.split("\n").length - 1 })))
}

/** The functions, the longest first, without their blank lines and with the functions in them. */
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

/** The lines of a file that hold something else than blanks and comments. */
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

/** The tokens right below a node: words, signs, and the texts of templates. */
function tokensOf(node, tree) {
  return node.getChildren(tree).filter((child) => ts.isTokenKind(child.kind) && child.getWidth(tree) > 0)
}
