// `pnpm rig quickstart`: packs the packages and does what docs/quickstart.md says, in an empty folder.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root, run } from "../launch/workspace.mjs"
import { playQuickstart } from "./play-quickstart.mjs"

const scratch = mkdtempSync(join(tmpdir(), "quickstart-"))
const tarballs = join(scratch, "tarballs")
try {
  run(process.execPath, [join(root, "tools", "release", "pack.mjs"), tarballs, "@x/mcp-adapter"])
  await playQuickstart(tarballs, join(scratch, "empty"))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
