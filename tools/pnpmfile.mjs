// Packages that contain a Node binary declare "os": "linux" instead of a list; pnpm ignores that, and would download Node for
// every platform. The form editor's bundle already contains its parts of core-js, so that package and its install script are
// dropped.
export const hooks = {
  readPackage(manifest) {
    if (typeof manifest.os === "string") manifest.os = [manifest.os]
    if (typeof manifest.cpu === "string") manifest.cpu = [manifest.cpu]
    if (manifest.name === "@json-editor/json-editor") delete manifest.dependencies["core-js"]
    return manifest
  },
}
