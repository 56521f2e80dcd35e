import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"

/** Returns references in a tarball to files outside of it: sources of maps, links of READMEs and changelogs. */
export function findLooseEnds(tarball, folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  execFileSync("tar", ["-xzf", tarball, "-C", folder])
  const files = readdirSync(folder, { recursive: true }).map((file) => join(folder, file))
  return [
    ...files.filter((file) => file.endsWith(".map")).flatMap(sourcesOf),
    ...files.filter((file) => /package[\\/](README|CHANGELOG)\.md$/.test(file)).flatMap(linksOf),
  ]
}

function sourcesOf(map) {
  const { sources, sourceRoot = "", sourcesContent = [] } = JSON.parse(readFileSync(map, "utf8"))
  return sources
    .filter((source, index) => sourcesContent[index] == null && !existsSync(join(dirname(map), sourceRoot, source)))
    .map((source) => `${map.split(/[\\/]/).at(-1)} points to ${source}, which is not packed`)
}

function linksOf(page) {
  const text = readFileSync(page, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "")
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, link]) => link)
    .filter((link) => !/^(\w+:|#)/.test(link) && !existsSync(join(dirname(page), link.split("#")[0])))
    .map((link) => `${page.split(/[\\/]/).at(-1)} links to ${link}, which is not packed`)
}
