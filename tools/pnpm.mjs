// `node tools/pnpm.mjs <arguments>` runs the pinned pnpm on machines without pnpm.
import { pnpm } from "./launch/workspace.mjs"

pnpm(process.argv.slice(2), { stdio: "inherit" })
