// What tests get for "fast-check" (see vitest.workspace.ts): the same, with one seed for all properties, so that `npm test` does the
// same each time. `pnpm fuzz` gives other seeds.
import fc from "../node_modules/fast-check/lib/fast-check.js"

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FUZZ_SEED ?? 1) })

// biome-ignore lint/style/noDefaultExport: it stands for fast-check, which tests import so
export default fc
