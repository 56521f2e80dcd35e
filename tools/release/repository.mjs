import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../launch/workspace.mjs"

/** The repository's URL without a trailing slash; `undefined` until the owner has filled in the root's package.json. */
export function repositoryUrl() {
  const { repository } = readRoot()
  const url = (typeof repository === "string" ? repository : repository?.url) ?? ""
  return url === "" ? undefined : url.replace(/^git\+/, "").replace(/(\.git)?\/?$/, "")
}

/** The URL of the docs; `undefined` until the owner has filled it in there. */
export function homepageUrl() {
  const { homepage = "" } = readRoot()
  return homepage === "" ? undefined : homepage.replace(/\/$/, "")
}

function readRoot() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
}
