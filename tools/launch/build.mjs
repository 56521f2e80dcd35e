// `node tools/launch/build.mjs FOLDER…`: compiles folders of the workspace and the projects they reference.
import { build } from "./workspace.mjs"

process.exitCode = build(process.argv.slice(2)) ? 0 : 1
