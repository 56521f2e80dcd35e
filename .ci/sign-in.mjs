// `pnpm sign-in`: signs in with a real authorization server, which npm brings once, with the SDK's client, with checks of OAuth
// from elsewhere, and as a host that drives the page its person has open.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bringChromium } from "./bring-chromium.mjs"
import { installOnce } from "./install-once.mjs"
import { build, pnpm, root, startedByPnpm } from "./workspace.mjs"

const rig = join(root, "apps", "rigs", "sign-in")
if (!startedByPnpm) pnpm(["install", "--frozen-lockfile", "--filter", "@x/sign-in..."])
if (!build(["examples/remote-connector"])) process.exit(1)
await bringChromium()
installOnce(join(rig, "brought"), "the authorization server and the checks (about 70 MB, once)")
await import(pathToFileURL(join(rig, "src", "main.mjs")).href)
