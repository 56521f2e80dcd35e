// The pages of the site: what is in the repository anyway, under short addresses, with links that lead there.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { publishedPackages } from "../published-packages.mjs"
import { repositoryUrl } from "../repository.mjs"
import { root } from "../workspace.mjs"
import { relink } from "./relink.mjs"

/**
 * Every page: where it is kept, where the site has it, what it is called, and its text with the links of the site.
 *
 * @param api - The folder with what TypeDoc wrote.
 * @param dead - Takes the links that lead nowhere.
 */
export function stagePages(api, dead) {
  const kept = [
    ["README.md", "index.md"],
    ["CONTRIBUTING.md", "contributing.md"],
    ["SECURITY.md", "security.md"],
    ...markdownBelow("docs").map((file) => [file, file.slice("docs/".length)]),
    ...publishedPackages().map(({ folder }) => [`${folder}/README.md`, `${folder}.md`]),
  ].filter(([file]) => existsSync(join(root, file)))
  const addresses = new Map(kept.flatMap(([file, page]) => addressesOf(file, page)))
  const pages = kept.map(([file, page]) => {
    const text = relink(readFileSync(join(root, file), "utf8"), (link) => toSiteLink(link, { file, addresses, dead }))
    return { file, page, title: titleOf(text, page), summary: summaryOf(text), text }
  })
  return [...pages, ...apiPages(api, pages)]
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

/** A page is meant by its file, and a README by its folder as well. */
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
  const address = addresses.get(target)
  if (address !== undefined) return hash === undefined ? address : `${address}#${hash}`
  const repository = repositoryUrl()
  return repository === undefined
    ? undefined
    : `${repository}/blob/main/${target}${hash === undefined ? "" : `#${hash}`}`
}

/** What TypeDoc wrote, a page for each entry point. What it copied of the docs is there already. */
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
