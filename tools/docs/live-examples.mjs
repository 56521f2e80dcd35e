// Bundles examples that can run in a page: those with an expected output that use only features of a browser.
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { build as bundle } from "vite"
import { compileExamples } from "./examples/compile-examples.mjs"

const NOT_IN_A_PAGE =
  /from "(node:|pino|@x\/service-cli|@x\/testing|@x\/[\w-]+\/(node|http|stdio|sdk-v1|otel))|\b(process|Buffer|setImmediate)\b/

/**
 * Bundles them.
 *
 * @returns The address of each example's module, by its first line as `page:line`.
 */
export async function bundleLiveExamples(examples, { work, out, base }) {
  const live = examples.filter((example) => example.output !== undefined && runsInAPage(example, examples))
  // `pnpm examples` reports compiler messages.
  compileExamples(examples, work)
  rmSync(out, { recursive: true, force: true })
  // Bundle each example separately with all its imports: two examples that share a module would see each other's changes, and
  // so would a second run.
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

/** Returns the example's code, and the code of imported examples on its page. */
function runsInAPage({ file, code }, examples) {
  if (NOT_IN_A_PAGE.test(code)) return false
  const imported = [...code.matchAll(/from "\.\/([\w.-]+)\.js"/g)].map(([, name]) => `${dirname(file)}/${name}.ts`)
  return examples.filter((other) => imported.includes(other.file)).every((other) => runsInAPage(other, examples))
}

function nameOf(file) {
  return file.replace(/\.ts$/, "").replaceAll("/", "-")
}
