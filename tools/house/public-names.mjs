import ts from "typescript"

/**
 * Counts the values and types that a module exports. The syntax distinguishes them, because `verbatimModuleSyntax` requires
 * re-exported types to be marked, and `export *` is not allowed.
 */
export function publicNames({ tree }) {
  const names = { values: new Set(), types: new Set() }
  for (const statement of tree.statements) {
    if (ts.isExportDeclaration(statement)) addListed(statement, names)
    else if (isExported(statement)) addDeclared(statement, names)
  }
  return { values: names.values.size, types: names.types.size }
}

function addListed(declaration, { values, types }) {
  for (const { name, isTypeOnly } of declaration.exportClause?.elements ?? [])
    (declaration.isTypeOnly || isTypeOnly ? types : values).add(name.text)
}

function addDeclared(statement, { values, types }) {
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) types.add(statement.name.text)
  else if (ts.isVariableStatement(statement))
    for (const { name } of statement.declarationList.declarations) values.add(name.text)
  else values.add(statement.name?.text)
}

function isExported(statement) {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  )
}
