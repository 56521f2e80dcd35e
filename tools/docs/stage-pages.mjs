// Collects the pages of the site: the repository's documents under short addresses, with their links rewritten.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { root } from "../launch/workspace.mjs"
import { publishedPackages } from "../release/published-packages.mjs"
import { repositoryUrl } from "../release/repository.mjs"
import { relink } from "./relink.mjs"

/**
 * Returns every page: its source file, address, title, and text with rewritten links.
 *
 * @param api - The folder of TypeDoc's pages.
 * @param dead - Receives the broken links.
 */
export function stagePages(api, dead) {
  const kept = [
    ["docs/README.md", "index.md"],
    ["CONTRIBUTING.md", "contributing.md"],
    ["SECURITY.md", "security.md"],
    ...markdownBelow("docs").flatMap((file) => (file === "docs/README.md" ? [] : [[file, file.slice("docs/".length)]])),
    ...publishedPackages().map(({ folder }) => [`${folder}/README.md`, `${folder}.md`]),
  ].filter(([file]) => existsSync(join(root, file)))
  const addresses = new Map([...kept.flatMap(([file, page]) => addressesOf(file, page)), ["README.md", "/"]])
  const toPage = (file, page, source) => {
    const text = relink(source, (link) => toSiteLink(link, { file, addresses, dead }))
    return { file, page, title: titleOf(text, page), summary: summaryOf(text), text }
  }
  const pages = kept.map(([file, page]) => toPage(file, page, readFileSync(join(root, file), "utf8")))
  pages.push(toPage("README.md", "packages/index.md", packagesOf(readFileSync(join(root, "README.md"), "utf8"))))
  return [...pages, ...apiPages(api, pages)]
}

/** Returns the README's table of packages. The site has no page of the rest: its first page says the same. */
function packagesOf(readme) {
  const [, section] = readme.split(/^## Packages$/m)
  return `# Packages\n${section.split(/^## /m)[0]}`
}

/** Writes pages below a folder. */
export function writePages(pages, folder) {
  for (const { page, text } of pages) {
    mkdirSync(dirname(join(folder, page)), { recursive: true })
    writeFileSync(join(folder, page), text)
  }
}

function markdownBelow(folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).map((file) => file.replaceAll("\\", "/"))
  return files
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => `${folder}/${file}`)
}

/** Maps files to pages; a README's folder maps to its page as well. */
function addressesOf(file, page) {
  const address = `/${page.replace(/(index)?\.md$/, "")}`
  return file.endsWith("/README.md")
    ? [
        [file, address],
        [posix.dirname(file), address],
      ]
    : [[file, address]]
}

function toSiteLink(link, { file, addresses, dead }) {
  const [path, hash] = link.split("#")
  const target = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, "")
  if (!existsSync(join(root, target))) dead.push(`${file}: ${link}`)
  if (target.startsWith("docs/pictures/")) return target.slice("docs".length)
  if (target === "README.md" && hash === "packages") return "/packages/"
  const address = addresses.get(target)
  if (address !== undefined) return hash === undefined ? address : `${address}#${hash}`
  const repository = repositoryUrl()
  return repository === undefined
    ? undefined
    : `${repository}/blob/main/${target}${hash === undefined ? "" : `#${hash}`}`
}

/** Returns TypeDoc's page for each entry point, without the documents that it copied. */
function apiPages(api, pages) {
  const files = readdirSync(api, { recursive: true }).map((file) => file.replaceAll("\\", "/"))
  const byName = new Map(pages.map(({ page }) => [posix.basename(page), `/${page.replace(/(index)?\.md$/, "")}`]))
  return files
    .filter((file) => file.endsWith(".md") && !file.startsWith("_media/"))
    .sort()
    .map((file) => {
      const text = relink(readFileSync(join(api, file), "utf8"), (link) =>
        link.includes("_media/") ? byName.get(posix.basename(link)) : link.replace(/(index)?\.md(?=#|$)/, ""),
      )
      const page = `api/${file}`
      return { file: page, page, title: titleOf(text, page), summary: summaryOf(text), text }
    })
}

function titleOf(text, page) {
  return /^# (.+)$/m.exec(text)?.[1].replaceAll(/[`\\]/g, "") ?? page
}

/** The first paragraph. */
function summaryOf(text) {
  const paragraph = text.split(/\n{2,}/).find((part) => /^[A-Za-z`[*]/.test(part)) ?? ""
  return paragraph.replaceAll("\n", " ").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
}
