import type { Outcome } from "@x/agentic-service"
import type { Arguments } from "../../calls/active-call.js"
import { toInvalidInput } from "../../calls/check-input.js"
import type { LinkEntry, ToolDefinition } from "../../catalogue/entry.js"
import { formatPath, type Path, parsePath } from "../../names/path.js"
import { isOptionalString, onlyHas } from "./arguments.js"
import type { BuiltIn } from "./built-in.js"

/** The tool that tells which services can be reached, by which paths, and why one would. */
export function createListLinks(sizeLimit: number): BuiltIn {
  return {
    definition,
    async run(args, { view }) {
      await view.ready
      const { links, revision } = view.snapshot()
      return { kind: "settled", outcome: answer(links, args, sizeLimit), revision }
    },
  }
}

const definition = Object.freeze<ToolDefinition>({
  name: "list_links",
  title: "List links",
  description:
    "Lists the services that can be reached now, by their path of links. A service with several paths has one " +
    "canonical path, under which its tools and states are listed; its other paths are aliases.",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string", description: "List only what is below this path; left out for everything" } },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
})

function answer(links: readonly LinkEntry[], args: Arguments, sizeLimit: number): Outcome {
  if (!isInput(args)) return toInvalidInput(definition.name, [{ path: [], message: expected }])
  const root = parsePath(args.path ?? "")
  if (root === undefined) return { ok: false, code: "not_found", message: `"${args.path}" is not a path of links` }
  const aliases = findAliases(links)
  const rows = links.filter((link) => isBelow(link.path, root)).map((link) => toRow(link, aliases))
  const size = JSON.stringify(rows).length
  return size <= sizeLimit ? { ok: true, value: { links: rows } } : tooLarge(size, sizeLimit)
}

type Input = { readonly path?: string }

function isInput(args: Arguments): args is Input {
  return onlyHas(args, ["path"]) && isOptionalString(args["path"])
}

const expected = 'expected "path", an optional string, and nothing else'

/** Every other path of a service, by its canonical one. */
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

function toRow({ path, canonical, description, service }: LinkEntry, aliases: ReadonlyMap<string, readonly string[]>) {
  const others = aliases.get(formatPath(path))
  return {
    path: formatPath(path),
    canonical: formatPath(canonical),
    service: service.name,
    ...((description ?? service.description) && { description: description ?? service.description }),
    ...(others && { aliases: others }),
  }
}

function tooLarge(size: number, sizeLimit: number): Outcome {
  return {
    ok: false,
    code: "too_large",
    message: `the links take ${size} characters, more than the ${sizeLimit} that fit in an answer`,
    recovery: 'give a "path" to list only what is below it',
  }
}
