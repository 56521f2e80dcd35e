import { fileURLToPath } from "node:url"

// The page imports our packages from outside this folder, within the repository.
export default {
  turbopack: { root: fileURLToPath(new URL("../../../../", import.meta.url)) },
  devIndicators: false,
}
