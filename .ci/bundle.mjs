// Puts the modules behind the exports of a package into a few files, `dist/bundle`: Node takes longer to find and read a file
// than to run what is in it. Entries share what they have in common, so that there is one of each thing. What `tsc` writes
// beside it has the types. `node .ci/bundle.mjs [FOLDER…]`, by default the one it is run in.
import { readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { rolldown } from "rolldown"

const folders = process.argv.slice(2)
for (const folder of folders.length > 0 ? folders : [process.cwd()]) await bundle(folder)

async function bundle(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const entries = Object.values(exports).map(({ "@x/source": source, default: file }) => [
    relative("dist/bundle", file).replace(/\.js$/, ""),
    resolve(folder, source),
  ])
  const made = await rolldown({
    input: Object.fromEntries(entries),
    platform: "neutral",
    // What is not named by its path is a package, and stays one.
    external: (id) => !/^[./]|^[A-Za-z]:/.test(id),
    resolve: { extensionAlias: { ".js": [".ts"] } },
  })
  const chunkFileNames = "shared/[name]-[hash].js"
  await made.write({ dir: join(folder, "dist", "bundle"), cleanDir: true, sourcemap: true, chunkFileNames })
}
