// `pnpm site`: builds the site of the docs into dist/docs, and follows every link of it. `pnpm site --serve` shows it
// as well; `--click` clicks every live example in a real browser, and types the questions of people into the search; `--keep-api` leaves the pages of TypeDoc as they are.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bringChromium } from "../launch/bring-chromium.mjs"
import { installOnce } from "../launch/install-once.mjs"
import { build, compiledFolders, pnpm, root, run, startedByPnpm } from "../launch/workspace.mjs"
import { homepageUrl, repositoryUrl } from "../release/repository.mjs"
import { askSite } from "./ask-site.mjs"
import { findDeadLinks } from "./check-links.mjs"
import { clickExamples } from "./click-examples.mjs"
import { readExamples } from "./examples/read-examples.mjs"
import { bundleLiveExamples } from "./live-examples.mjs"
import { stagePages, writePages } from "./stage-pages.mjs"
import { vitepressConfig } from "./vitepress-config.mjs"
import { writeLlms } from "./write-llms.mjs"

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
  cpSync(join(import.meta.dirname, from), join(theme, to))
}
// VitePress resolves its own package from the folder of the pages.
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
for (const link of dead) console.error(`✗ broken link: ${link}`)
console.log(`${pages.length} pages, ${live.size} live examples, ${dead.length} dead links: ${out}`)
if (dead.length > 0) process.exit(1)
if (process.argv.includes("--click")) {
  await bringChromium()
  const { clicked, wrong } = await clickExamples(out, base)
  for (const text of wrong) console.error(`✗ ${text}`)
  console.log(`${clicked} live examples clicked, ${wrong.length} with other output than on their page`)
  const { asked, faults } = await askSite(out, base)
  for (const text of faults) console.error(`✗ ${text}`)
  console.log(`${asked} questions asked, ${faults.length} faults`)
  if (wrong.length > 0 || clicked !== live.size || faults.length > 0) process.exit(1)
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

/** Writes a page for each entry point with TypeDoc. `pnpm exec typedoc` is the step that fails on TypeDoc's warnings. */
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
  // On the command line, because package.json overrides an options file.
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  rmSync(api, { recursive: true, force: true })
  run(process.execPath, [join(root, "node_modules", "typedoc", "bin", "typedoc"), ...args])
}

/** The module folder of the rig whose packages examples import. */
async function bundleLive() {
  const work = mkdtempSync(join(root, "apps", "rigs", "docs-examples", ".examples-"))
  try {
    const out = join(staged, "public", "live")
    return await bundleLiveExamples(readExamples(root), { work, out, base: `${base}live/` })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Adds a button after each example that runs in a page. */
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
