// `pnpm conformance`: builds what it needs, then becomes the runner of the official suites. Arguments name the legs.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build, pnpm, root, startedByPnpm } from "./workspace.mjs"

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile", "--filter", "@x/conformance..."])
if (!build(["apps/rigs/conformance"])) process.exit(1)
await import(pathToFileURL(join(root, "apps", "rigs", "conformance", "dist", "main.js")).href)
