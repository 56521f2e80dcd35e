// Examples that run in a page: those whose output the docs give, and that need nothing a page has not.
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { build as bundle } from "vite"
import { compileExamples } from "../docs-examples/compile-examples.mjs"

const NOT_IN_A_PAGE =
  /from "(node:|pino|@x\/service-cli|@x\/testing|@x\/[\w-]+\/(node|http|stdio|sdk-v1|otel))|\b(process|Buffer|setImmediate)\b/

/**
 * Bundles them.
 *
 * @returns By the line each begins at, as `page:line`, the address of its module.
 */
export async function bundleLiveExamples(examples, { work, out, base }) {
  const live = examples.filter((example) => example.output !== undefined && runsInAPage(example, examples))
  // What the compiler has to say is for `pnpm docs:examples`.
  compileExamples(examples, work)
  rmSync(out, { recursive: true, force: true })
  // Each by itself, with all that it imports: two that share a module would find it as the other has left it, and so would a
  // second run.
  for (const { file } of live)
    await bundle({
      configFile: false,
      root: work,
      base,
      logLevel: "error",
      resolve: { conditions: ["browser", "import", "default"] },
      build: {
        target: "es2022",
        outDir: out,
        emptyOutDir: false,
        minify: true,
        rollupOptions: {
          input: { [nameOf(file)]: join(work, file.replace(/\.ts$/, ".js")) },
          preserveEntrySignatures: "strict",
          output: { entryFileNames: "[name].js", codeSplitting: false },
        },
      },
    })
  return new Map(live.map(({ place, file }) => [place.split(" ")[0], `${base}${nameOf(file)}.js`]))
}

/** Its own code, and that of the examples of its page that it imports. */
function runsInAPage({ file, code }, examples) {
  if (NOT_IN_A_PAGE.test(code)) return false
  const imported = [...code.matchAll(/from "\.\/([\w.-]+)\.js"/g)].map(([, name]) => `${dirname(file)}/${name}.ts`)
  return examples.filter((other) => imported.includes(other.file)).every((other) => runsInAPage(other, examples))
}

function nameOf(file) {
  return file.replace(/\.ts$/, "").replaceAll("/", "-")
}
