// The packages that carry a Node binary say "os": "linux" where a list belongs; pnpm overlooks that, and would download
// Node for every platform.
export const hooks = {
  readPackage(manifest) {
    if (typeof manifest.os === "string") manifest.os = [manifest.os]
    if (typeof manifest.cpu === "string") manifest.cpu = [manifest.cpu]
    return manifest
  },
}
