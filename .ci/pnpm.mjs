// `node .ci/pnpm.mjs <arguments>` is the pinned pnpm on a machine that has none.
import { pnpm } from "./workspace.mjs"

pnpm(process.argv.slice(2), { stdio: "inherit" })
