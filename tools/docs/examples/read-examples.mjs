import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Reads every ```ts block of the docs and of the doc comments of exports. A leading `// name.ts` names a block for the page's
 * other blocks. A `ts no-run` block is only compiled, and says why in a line `// not run: …`. A `text output` block right after
 * an example is its expected output.
 */
export function readExamples(root) {
  const examples = pages(root).flatMap((page) => readPage(page, readFileSync(join(root, page), "utf8")))
  const twice = examples.find(({ file }, index) => examples.findIndex((other) => other.file === file) !== index)
  if (twice) throw new Error(`${twice.place}: its page already has an example with this name: rename one of them`)
  return examples
}

function pages(root) {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`)
  const docs = readdirSync(join(root, "docs"), { recursive: true }).map((name) => `docs/${name.replaceAll("\\", "/")}`)
  const markdown = ["README.md", ...packages, ...docs].filter((page) => page.endsWith(".md"))
  return [...markdown.filter((page) => existsSync(join(root, page))), ...sources(root)]
}

/** The sources whose doc comments may contain examples. */
function sources(root) {
  return readdirSync(join(root, "packages")).flatMap((name) => {
    const folder = `packages/${name}/src`
    if (!existsSync(join(root, folder))) return []
    const files = readdirSync(join(root, folder), { recursive: true }).map((file) => file.replaceAll("\\", "/"))
    return files
      .filter((file) => /(?<!\.(test|test-d|bench|fixture))\.ts$/.test(file))
      .map((file) => `${folder}/${file}`)
  })
}

function readPage(page, text) {
  const blocks = readBlocks(page.endsWith(".ts") ? commentsOf(text) : text)
  return blocks.flatMap((block, index) => (/^ts\b/.test(block.kind) ? [toExample(page, block, blocks[index + 1])] : []))
}

/** Returns the lines of doc comments without their stars, and empty lines for the rest, so that line numbers stay the same. */
function commentsOf(text) {
  let inside = false
  const lines = text.split("\n").map((line) => {
    if (/^ *\/\*\*/.test(line)) inside = true
    const comment = inside ? line.replace(/^ *(\/\*\*|\*\/|\*) ?/, "") : ""
    if (line.includes("*/")) inside = false
    return comment
  })
  return lines.join("\n")
}

function readBlocks(text) {
  const blocks = []
  let open
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^ *```(.*)$/.exec(line)
    if (fence === null) open?.lines.push(line)
    else if (open === undefined) open = { kind: fence[1].trim(), start: index + 1, lines: [] }
    else {
      blocks.push({ ...open, end: index + 1 })
      open = undefined
    }
  }
  return blocks
}

function toExample(page, { kind, start, end, lines }, next) {
  const code = lines.join("\n")
  const name = /^\/\/ ([\w.-]+\.ts)$/.exec(lines[0]?.trim() ?? "")?.[1] ?? `line-${start}.ts`
  const place = `${page}:${start} ${name}`
  if (!["ts", "ts no-run"].includes(kind)) throw new Error(`${place}: found "${kind}", expected "ts" or "ts no-run"`)
  const notRun = kind === "ts" ? undefined : /^ *\/\/ not run: (.+)$/m.exec(code)?.[1]
  if (kind !== "ts" && notRun === undefined) throw new Error(`${place}: expected a line "// not run: <why>"`)
  const folder = page.replace(/\.(md|ts)$/, "").replaceAll("/", "-")
  // As many lines above the code as in the page, so that messages show line numbers of the page.
  const text = `${"\n".repeat(start)}${code}\n`
  const output = next?.kind === "text output" && next.start - end <= 3 ? next.lines.join("\n") : undefined
  return { place, file: `${folder}/${name}`, text, notRun, output, code }
}
