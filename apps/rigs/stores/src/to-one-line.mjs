import ts from "typescript"

/** Returns the source of a function's result as code on one line. The rig runs exactly this code. */
export function toOneLine(line) {
  const file = ts.createSourceFile("line.ts", `(${line})`, ts.ScriptTarget.Latest, true)
  const [{ expression }] = file.statements
  const { body } = withoutParentheses(expression)
  // The compiler's printer adds semicolons, which a single line does not need.
  const printed = ts
    .createPrinter({ removeComments: true })
    .printNode(ts.EmitHint.Unspecified, withoutParentheses(body), file)
  return printed.replaceAll(/\s+/g, " ").replaceAll("; }", " }").replaceAll(/,? \}/g, " }")
}

function withoutParentheses(node) {
  return ts.isParenthesizedExpression(node) ? withoutParentheses(node.expression) : node
}
