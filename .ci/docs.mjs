// `pnpm docs`: builds the site of the docs into dist/docs, and follows every link of it. `pnpm docs --serve` shows it
// as well; `--click` clicks every live example in a real browser; `--keep-api` leaves the pages of TypeDoc as they are.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bringChromium } from "./bring-chromium.mjs"
import { findDeadLinks } from "./docs/check-links.mjs"
import { clickExamples } from "./docs/click-examples.mjs"
import { bundleLiveExamples } from "./docs/live-examples.mjs"
import { stagePages, writePages } from "./docs/stage-pages.mjs"
import { vitepressConfig } from "./docs/vitepress-config.mjs"
import { writeLlms } from "./docs/write-llms.mjs"
import { readExamples } from "./docs-examples/read-examples.mjs"
import { installOnce } from "./install-once.mjs"
import { homepageUrl, repositoryUrl } from "./repository.mjs"
import { build, compiledFolders, pnpm, root, run, startedByPnpm } from "./workspace.mjs"

const tools = join(root, "apps", "rigs", "docs-site", "vitepress")
const staged = join(root, "dist", "docs-pages")
const api = join(root, "dist", "docs-api")
const out = join(root, "dist", "docs")
const base = homepageUrl() === undefined ? "/" : new URL(`${homepageUrl()}/`).pathname
const local = { staged, out, base }

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile"])
if (!build(compiledFolders("packages"))) process.exit(1)
installOnce(tools, "VitePress")
if (!process.argv.includes("--keep-api")) writeApi()
const dead = []
const pages = stagePages(api, dead)
rmSync(staged, { recursive: true, force: true })
const live = await bundleLive()
writePages(pages.map(withLiveExamples), staged)
cpSync(join(root, "docs", "pictures"), join(staged, "public", "pictures"), { recursive: true })
const theme = join(staged, ".vitepress", "theme")
mkdirSync(theme, { recursive: true })
writeFileSync(join(staged, ".vitepress", "config.mjs"), vitepressConfig(pages, { base, repository: repositoryUrl() }))
for (const [from, to] of [
  ["theme.js", "index.js"],
  ["live-example.vue", "live-example.vue"],
  ["style.css", "style.css"],
]) {
  cpSync(join(root, ".ci", "docs", from), join(theme, to))
}
// VitePress looks for itself from where the pages are.
symlinkSync(join(tools, "node_modules"), join(staged, "node_modules"), "junction")
run(process.execPath, [
  join(tools, "node_modules", "vitepress", "bin", "vitepress.js"),
  "build",
  staged,
  "--outDir",
  out,
])
writeLlms(pages, local)

dead.push(...findDeadLinks(out, base))
for (const link of dead) console.error(`✗ leads nowhere: ${link}`)
console.log(`${pages.length} pages, ${live.size} live examples, ${dead.length} dead links: ${out}`)
if (dead.length > 0) process.exit(1)
if (process.argv.includes("--click")) {
  await bringChromium()
  const { clicked, wrong } = await clickExamples(out, base)
  for (const text of wrong) console.error(`✗ ${text}`)
  console.log(`${clicked} live examples clicked, ${wrong.length} print something else than their page says`)
  if (wrong.length > 0 || clicked !== live.size) process.exit(1)
}
if (process.argv.includes("--serve")) {
  run(
    process.execPath,
    [join(tools, "node_modules", "vitepress", "bin", "vitepress.js"), "preview", staged, "--outDir", out],
    {
      stdio: "inherit",
    },
  )
}

/** Has TypeDoc write a page for each entry point. `pnpm docs:api` is the step that holds what it says to account. */
function writeApi() {
  const options = {
    plugin: fileURLToPath(import.meta.resolve("typedoc-plugin-markdown")),
    out: api,
    treatWarningsAsErrors: false,
    logLevel: "Error",
    entryFileName: "index",
    router: "module",
    hideBreadcrumbs: true,
    hidePageHeader: true,
    readme: "none",
    useHTMLAnchors: true,
  }
  // On the command line, because what package.json says wins over a file.
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  rmSync(api, { recursive: true, force: true })
  run(process.execPath, [join(root, "node_modules", "typedoc", "bin", "typedoc"), ...args])
}

/** Inside the rig whose packages examples import. */
async function bundleLive() {
  const work = mkdtempSync(join(root, "apps", "rigs", "docs-examples", ".examples-"))
  try {
    const out = join(staged, "public", "live")
    return await bundleLiveExamples(readExamples(root), { work, out, base: `${base}live/` })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Puts the button behind each example that runs in a page. */
function withLiveExamples({ file, text, ...page }) {
  let open
  const lines = text.split("\n").flatMap((line, index) => {
    if (!/^```/.test(line)) return [line]
    if (open === undefined) {
      open = index + 1
      return [line]
    }
    const src = live.get(`${file}:${open}`)
    open = undefined
    return src === undefined ? [line] : [line, "", `<LiveExample src="${src}" />`]
  })
  return { file, text: lines.join("\n"), ...page }
}
