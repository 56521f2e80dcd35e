// `npm run new -- FOLDER`: starts a project from the template, with the packages of this workspace in it.
import { join } from "node:path"
import { installQuietly } from "./install-quietly.mjs"
import { build, root, run, startedByPnpm } from "./workspace.mjs"

if (!startedByPnpm) await installQuietly("./packages/*")
if (!build(["packages/create-agentic"])) process.exit(1)
const command = join(root, "packages", "create-agentic", "dist", "main.js")
// Where whoever typed it is, and not where npm puts a script.
const cwd = process.env.INIT_CWD ?? root
run(process.execPath, [command, ...process.argv.slice(2)], { cwd, stdio: "inherit" })
