// Checks that `pnpm release` refuses while the contact of SECURITY.md is empty, and names it. Once the owner has filled it in,
// there is nothing to refuse.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../launch/workspace.mjs"

const { bugs } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
if (bugs.email === "") {
  for (const args of [[], ["--publish"]]) {
    const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "release.mjs"), ...args], {
      encoding: "utf8",
    })
    if (status === 0 || !stderr.includes("bugs.email"))
      throw new Error(`"release ${args.join(" ")}" did not refuse an empty contact: exit code ${status}, ${stderr}`)
  }
}
console.log("no release without a contact")
