// `pnpm lighthouse`: has Lighthouse, which npm brings once, judge the pages of the demo in a real Chromium.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bringChromium } from "./bring-chromium.mjs"
import { installOnce } from "./install-once.mjs"
import { buildPages } from "./pages.mjs"
import { build, root } from "./workspace.mjs"

const rig = join(root, "apps", "rigs", "lighthouse")
if (!build(["apps/demo"]) || !buildPages()) process.exit(1)
await bringChromium()
installOnce(join(rig, "brought"), "Lighthouse (about 120 MB, once)")
await import(pathToFileURL(join(rig, "src", "main.mjs")).href)
