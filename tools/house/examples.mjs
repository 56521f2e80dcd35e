// Finds public functions whose doc comment has no example.
import ts from "typescript"
import { importedFile, placeOf } from "./read-sources.mjs"

/** The functions that the entry points of a package export, without an `@example`: `name (file:line)`. */
export function withoutExample({ entries, sources }) {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const found = new Map()
  for (const { file, importedAs } of entries) {
    for (const { name, node, source } of exportedFunctions(byFile.get(file), byFile)) {
      if (!hasExample(node) && !found.has(node)) found.set(node, `${importedAs} ${name} (${placeOf(source, node)})`)
    }
  }
  return [...found.values()]
}

function exportedFunctions(source, byFile) {
  if (source === undefined) return []
  return source.tree.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return listed(statement, source, byFile)
    if (ts.isFunctionDeclaration(statement) && isExported(statement))
      return [{ name: statement.name.text, node: statement, source }]
    return []
  })
}

/** The functions behind `export { one, other } from "./file.js"`. */
function listed(declaration, source, byFile) {
  if (declaration.moduleSpecifier === undefined || declaration.isTypeOnly) return []
  const names = declaration.exportClause.elements.filter(({ isTypeOnly }) => !isTypeOnly)
  const from = byFile.get(importedFile(source.file, declaration.moduleSpecifier.text))
  const all = exportedFunctions(from, byFile)
  return names.flatMap(({ name, propertyName }) => all.filter((one) => one.name === (propertyName ?? name).text))
}

function isExported(statement) {
  return (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
}

/** An overload may have it for all. */
function hasExample(node) {
  const same = node.parent.statements.filter(
    (each) => ts.isFunctionDeclaration(each) && each.name?.text === node.name.text,
  )
  return same.some((each) => ts.getJSDocTags(each).some((tag) => tag.tagName.text === "example"))
}
