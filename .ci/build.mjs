// `node .ci/build.mjs FOLDER…`: compiles folders of the workspace, and what they refer to.
import { build } from "./workspace.mjs"

process.exitCode = build(process.argv.slice(2)) ? 0 : 1
