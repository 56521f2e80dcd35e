// `pnpm next-app`: drives a real Next application, which npm brings once, with pages mounted, in a real Chromium.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bringChromium } from "./bring-chromium.mjs"
import { installOnce } from "./install-once.mjs"
import { build, root } from "./workspace.mjs"

const rig = join(root, "apps", "rigs", "next")
if (!build(["packages/page-bridge"])) process.exit(1)
await bringChromium()
installOnce(join(rig, "brought"), "Next (about 340 MB, once)")
await import(pathToFileURL(join(rig, "src", "main.mjs")).href)
