import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { chromium } from "playwright-core"

/**
 * The path of a Chromium that can be started: `CHROME_PATH` where it is set, else Debian's or another one on the PATH, else
 * the one that `playwright-core install chromium` brought. `undefined` where there is none; throws where `CHROME_PATH` names
 * no program, since whoever sets it means that one.
 */
export function findChromium(): string | undefined {
  const named = process.env["CHROME_PATH"]
  if (named !== undefined && named !== "") {
    if (isProgram(named)) return named
    throw new Error(`CHROME_PATH names no program that can be started: "${named}"`)
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
