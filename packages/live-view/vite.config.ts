import { readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig, type Plugin } from "vite"

/** Creates one module from all files of the page, so that the handler needs no file system. */
const asModule: Plugin = {
  name: "page-as-a-module",
  generateBundle: {
    // After Vite, which rewrites marked imports of lazy chunks.
    order: "post",
    handler(_, bundle) {
      const files = Object.values(bundle).flatMap((file) =>
        file.type === "chunk"
          ? [[file.fileName, { type: "text/javascript; charset=utf-8", text: file.code }] as const]
          : [],
      )
      const page = readFileSync(join(import.meta.dirname, "src", "page", "index.html"), "utf8")
      const assets = { "index.html": { type: "text/html; charset=utf-8", text: page }, ...Object.fromEntries(files) }
      const source = `export const assets = ${JSON.stringify(assets)}\n`
      this.emitFile({ type: "asset", fileName: "assets.js", source })
    },
  },
}

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: "page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    // The form library is large and imported only when a form is opened.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      input: { "live-view": "src/element/define.ts" },
      preserveEntrySignatures: "strict",
      output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash:8].js" },
    },
  },
  plugins: [asModule],
})
