// `pnpm gateway`: builds the packages, installs public MCP servers, and asks each directly and through the gateway. Arguments
// choose servers by name.
import { join } from "node:path"
import { installOnce } from "./install-once.mjs"
import { build, pnpm, root, run, startedByPnpm } from "./workspace.mjs"

const rig = join(root, "apps", "rigs", "gateway")

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile", "--filter", "@x/gateway-rig..."])
if (!build(["packages/mcp-upstream", "apps/demo"])) process.exit(1)
installOnce(join(rig, "servers"), "public MCP servers (about 120 MB, once)")
run(process.execPath, [join(rig, "src", "main.mjs"), ...process.argv.slice(2)], { stdio: "inherit" })
