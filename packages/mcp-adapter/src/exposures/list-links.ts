import type { Outcome } from "@x/agentic-service"
import { invalidInput } from "@x/agentic-service/adapter"
import type { Arguments } from "../calls/call-context.js"
import type { LinkEntry, ToolDefinition } from "../catalogue/entry.js"
import { formatPath, type Path, parsePath } from "../names/path.js"
import { type BuiltIn, isOptionalString, ONLY_READS, onlyHas } from "./built-in.js"

/** Returns a linked service's endpoint as a URL path, from the service's canonical path. */
export type LinkUrl = (canonical: Path) => string

/**
 * Creates the tool that lists the reachable services with their paths and descriptions.
 *
 * @param linkUrl - Given if each service is an endpoint of its own. Default: all are served here, under their canonical paths.
 */
export function createListLinks(sizeLimit: number, linkUrl?: LinkUrl): BuiltIn {
  const toRows = linkUrl === undefined ? toPathRows : toUrlRows(linkUrl)
  return {
    definition: linkUrl === undefined ? definition : definitionOfUrls,
    serves: ({ links }) => links,
    run: (args, { view }) => answer(args, (root) => toRows(view.links(), root), sizeLimit),
  }
}

const definition = Object.freeze<ToolDefinition>({
  name: "list_links",
  title: "List links",
  description: "Lists the services linked now, all or below `path`",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  annotations: ONLY_READS,
})

const definitionOfUrls = Object.freeze<ToolDefinition>({
  ...definition,
  description:
    "Lists the services linked from here now, by path. Each is an MCP endpoint of its own, with its own tools and states, " +
    "at the path `url` of this host; paths with the same `url` lead to the same service.",
})

function answer(args: Arguments, toRows: (root: Path) => readonly object[], sizeLimit: number): Outcome {
  if (!isInput(args)) return invalidInput(definition.name, [{ path: [], message: expected }])
  const root = parsePath(args.path ?? "")
  if (root === undefined)
    return { ok: false, code: "not_found", message: `"${args.path}" is not a path of links such as "a/b"` }
  const rows = toRows(root)
  const size = JSON.stringify(rows).length
  return size <= sizeLimit ? { ok: true, value: { links: rows } } : tooLarge(size, sizeLimit)
}

type Input = { readonly path?: string }

function isInput(args: Arguments): args is Input {
  return onlyHas(args, ["path"]) && isOptionalString(args["path"])
}

const expected = 'expected "path", an optional string, and nothing else'

/** Returns the other paths of each service, by its canonical path. */
function findAliases(links: readonly LinkEntry[]): ReadonlyMap<string, readonly string[]> {
  const aliases = new Map<string, string[]>()
  for (const link of links) {
    const [path, canonical] = [formatPath(link.path), formatPath(link.canonical)]
    if (path === canonical) continue
    const known = aliases.get(canonical)
    if (known) known.push(path)
    else aliases.set(canonical, [path])
  }
  return aliases
}

function isBelow(path: Path, root: Path): boolean {
  return path.length > root.length && root.every((key, index) => path[index] === key)
}

function toPathRows(links: readonly LinkEntry[], root: Path): readonly object[] {
  const aliases = findAliases(links)
  return links
    .filter((link) => isBelow(link.path, root))
    .map((link) => {
      const others = aliases.get(formatPath(link.path))
      return { ...toRow(link, { canonical: formatPath(link.canonical) }), ...(others && { aliases: others }) }
    })
}

function toUrlRows(linkUrl: LinkUrl) {
  return (links: readonly LinkEntry[], root: Path): readonly object[] =>
    links.filter((link) => isBelow(link.path, root)).map((link) => toRow(link, { url: linkUrl(link.canonical) }))
}

function toRow({ path, description, service }: LinkEntry, where: object): object {
  const purpose = description ?? service.description
  return { path: formatPath(path), ...where, service: service.name, ...(purpose && { description: purpose }) }
}

function tooLarge(size: number, sizeLimit: number): Outcome {
  return {
    ok: false,
    code: "too_large",
    message: `the links take ${size} characters, more than the ${sizeLimit} that fit in an answer`,
    recovery: 'pass a "path" to list only the services below it',
  }
}
