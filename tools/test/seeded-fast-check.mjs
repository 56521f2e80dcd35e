// Replaces "fast-check" in tests (see vitest.workspace.ts): the same library with one seed for all properties, so that `npm
// test` is reproducible. `pnpm fuzz` sets other seeds.
import fc from "../../node_modules/fast-check/lib/fast-check.js"

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FUZZ_SEED ?? 1) })

// biome-ignore lint/style/noDefaultExport: tests import fast-check by its default export
export default fc
