import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Writes the docs for models: each page as plain Markdown, a list of all pages, and all pages in one file. */
export function writeLlms(pages, { staged, out, base }) {
  for (const { page } of pages) {
    mkdirSync(dirname(join(out, page)), { recursive: true })
    copyFileSync(join(staged, page), join(out, page))
  }
  const written = pages.filter(({ page }) => !page.startsWith("api/"))
  const line = ({ page, title, summary }) => `- [${title}](${base}${page})${summary === "" ? "" : `: ${summary}`}`
  const [first] = pages.filter(({ page }) => page === "index.md")
  const list = [
    `# ${first.title}`,
    `> ${first.summary}`,
    "## Docs",
    written.map(line).join("\n"),
    "## API",
    pages
      .filter(({ page }) => page.startsWith("api/"))
      .map(({ page, title }) => `- [${title}](${base}${page})`)
      .join("\n"),
  ]
  writeFileSync(join(out, "llms.txt"), `${list.join("\n\n")}\n`)
  writeFileSync(join(out, "llms-full.txt"), written.map(({ text }) => text).join("\n\n---\n\n"))
}
