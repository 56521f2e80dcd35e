import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { chromium } from "playwright-core"

/**
 * Returns the path of a Chromium: `CHROME_PATH` if set, else Debian's or another one on the PATH, else the one installed by
 * `playwright-core install chromium`. Returns `undefined` if there is none. Throws if `CHROME_PATH` is set and names no
 * program, since using another one would be a surprise.
 */
export function findChromium(): string | undefined {
  const named = process.env["CHROME_PATH"]
  if (named !== undefined && named !== "") {
    if (isProgram(named)) return named
    throw new Error(`CHROME_PATH is not an executable program: "${named}"`)
  }
  return [...installed(), chromium.executablePath()].find(isProgram)
}

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

function installed(): readonly string[] {
  const folders = ["/usr/bin", ...(process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")]
  const onMac = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]
  return [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...onMac]
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
