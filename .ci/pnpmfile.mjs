// The packages that carry a Node binary say "os": "linux" where a list belongs; pnpm overlooks that, and would download
// Node for every platform. The form editor is built with what it asks of core-js in it, whose install script nobody needs.
export const hooks = {
  readPackage(manifest) {
    if (typeof manifest.os === "string") manifest.os = [manifest.os]
    if (typeof manifest.cpu === "string") manifest.cpu = [manifest.cpu]
    if (manifest.name === "@json-editor/json-editor") delete manifest.dependencies["core-js"]
    return manifest
  },
}
