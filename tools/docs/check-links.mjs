import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"

/**
 * Follows every internal link of a built site, including its anchor.
 *
 * @returns The broken links.
 */
export function findDeadLinks(out, base) {
  const files = readdirSync(out, { recursive: true }).map((file) => file.replaceAll("\\", "/"))
  const pages = new Map(files.filter((file) => file.endsWith(".html")).map((file) => [file, read(join(out, file))]))
  return [...pages].flatMap(([file, { links }]) => {
    const at = `${base}${file}`
    return links.filter((link) => !leadsSomewhere(new URL(link, `http://site${at}`))).map((link) => `${file}: ${link}`)
  })

  function leadsSomewhere({ host, pathname, hash }) {
    if (host !== "site") return true
    if (!pathname.startsWith(base)) return false
    const path = decodeURIComponent(pathname.slice(base.length))
    const found = [path, `${path}.html`, posix.join(path, "index.html")].find((name) => isFile(join(out, name)))
    if (found === undefined) return false
    return hash === "" || !found.endsWith(".html") || pages.get(found).ids.has(decodeURIComponent(hash.slice(1)))
  }
}

function isFile(path) {
  return existsSync(path) && statSync(path).isFile()
}

function read(path) {
  const html = readFileSync(path, "utf8")
  const all = (pattern) => [...html.matchAll(pattern)].map(([, value]) => value.replaceAll("&amp;", "&"))
  const links = all(/<a\b[^>]*\bhref="([^"]*)"/g).filter((link) => !/^(mailto|tel|javascript):/.test(link))
  return { links: [...new Set(links)], ids: new Set(all(/\bid="([^"]+)"/g)) }
}
