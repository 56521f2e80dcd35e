import ts from "typescript"

/** What a function of a library's parts gives back, as code on one line: the very code that is played. */
export function toOneLine(line) {
  const file = ts.createSourceFile("line.ts", `(${line})`, ts.ScriptTarget.Latest, true)
  const [{ expression }] = file.statements
  const { body } = withoutParentheses(expression)
  // The compiler's own printer sets the semicolons that a line of its own can do without.
  const printed = ts
    .createPrinter({ removeComments: true })
    .printNode(ts.EmitHint.Unspecified, withoutParentheses(body), file)
  return printed.replaceAll(/\s+/g, " ").replaceAll("; }", " }").replaceAll(/,? \}/g, " }")
}

function withoutParentheses(node) {
  return ts.isParenthesizedExpression(node) ? withoutParentheses(node.expression) : node
}
