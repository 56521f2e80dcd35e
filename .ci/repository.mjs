import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./workspace.mjs"

/** Where the source is, without a slash at the end; `undefined` until the owner has filled in the root's package.json. */
export function repositoryUrl() {
  const { repository } = readRoot()
  const url = (typeof repository === "string" ? repository : repository?.url) ?? ""
  return url === "" ? undefined : url.replace(/^git\+/, "").replace(/(\.git)?\/?$/, "")
}

/** Where the docs are; `undefined` until it is filled in there. */
export function homepageUrl() {
  const { homepage = "" } = readRoot()
  return homepage === "" ? undefined : homepage.replace(/\/$/, "")
}

function readRoot() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
}
