import { fileURLToPath } from "node:url"

// What the page imports of ours lies beside this folder, in the repository.
export default {
  turbopack: { root: fileURLToPath(new URL("../../../../", import.meta.url)) },
  devIndicators: false,
}
