import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"

const packages = join(import.meta.dirname, "../../../../packages")

/** Lists the public functions whose awaited result has a `close`, such as `@x/mcp-adapter/http serveHttp`. */
export function listPublicEnds(): readonly string[] {
  const entries = readdirSync(packages).flatMap(readEntries)
  const program = ts.createProgram(
    entries.map(({ types }) => types),
    {
      skipLibCheck: true,
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    },
  )
  return entries.flatMap(({ name, types }) => endsOf(program, types).map((end) => `${name} ${end}`)).sort()
}

/** The required fields of a package.json. */
interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, { readonly types?: string }>>
}

function readEntries(folder: string): readonly { readonly name: string; readonly types: string }[] {
  const text = readFileSync(join(packages, folder, "package.json"), "utf8")
  const { name, exports = {} }: Manifest = JSON.parse(text)
  return Object.entries(exports).flatMap(([path, { types }]) =>
    types === undefined ? [] : [{ name: name + path.slice(1), types: join(packages, folder, types) }],
  )
}

function endsOf(program: ts.Program, file: string): readonly string[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} is missing: build the packages first`)
  // Functions that close their argument, such as an envelope, are not ends themselves.
  const takesNothing = ({ parameters }: ts.Signature): boolean =>
    parameters.every(({ valueDeclaration: at }) => at && ts.isParameter(at) && checker.isOptionalParameter(at))
  const hasClose = (type: ts.Type): boolean => {
    if (type.isUnion()) return type.types.some(hasClose)
    const close = checker.getPropertyOfType(type, "close")
    return close !== undefined && checker.getTypeOfSymbol(close).getCallSignatures().some(takesNothing)
  }
  return checker
    .getExportsOfModule(module)
    .filter((each) =>
      checker
        .getTypeOfSymbol(each)
        .getCallSignatures()
        .map((signature) => signature.getReturnType())
        .some((result) => hasClose(checker.getAwaitedType(result) ?? result)),
    )
    .map((each) => each.name)
}
