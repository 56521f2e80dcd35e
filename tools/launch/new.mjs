// `npm run new -- FOLDER`: creates a project from the template, using the packages of this workspace.
import { join } from "node:path"
import { installQuietly } from "./install-quietly.mjs"
import { build, root, run, startedByPnpm } from "./workspace.mjs"

if (!startedByPnpm) await installQuietly("./packages/*")
if (!build(["packages/create-agentic"])) process.exit(1)
const command = join(root, "packages", "create-agentic", "dist", "main.js")
// The user's current folder; npm runs scripts elsewhere.
const cwd = process.env.INIT_CWD ?? root
run(process.execPath, [command, ...process.argv.slice(2)], { cwd, stdio: "inherit" })
