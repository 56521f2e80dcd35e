import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import ts from "typescript"
import { root } from "../../launch/workspace.mjs"

/** Writes the examples and their JavaScript below `folder`, and returns the compiler's messages. */
export function compileExamples(examples, folder) {
  for (const { file, text } of examples) write(join(folder, file), text)
  const program = ts.createProgram(
    examples.map(({ file }) => join(folder, file)),
    compilerOptions(folder),
  )
  program.emit()
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => folder, getNewLine: () => "\n" }
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => ts.formatDiagnostic(diagnostic, host))
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** The workspace's own flags, with the packages as users get them: built, and without the source condition. */
function compilerOptions(folder) {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile)
  const changed = { customConditions: [], types: ["node"], declaration: false, declarationMap: false }
  return ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, ...changed }, folder).options
}
