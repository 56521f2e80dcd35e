import { invalidInput } from "@x/agentic-service/adapter"
import type MiniSearch from "minisearch"
import type { Arguments } from "../calls/call-context.js"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import type { View } from "../views/view.js"
import { type BuiltIn, ONLY_READS, onlyHas } from "./built-in.js"

/** The tool that finds actions, whether they can be called now or not, and tells how. */
export function createFindActions(sizeLimit: number): BuiltIn {
  const search = createToolSearch()
  return {
    definition,
    async run(args, { view, context, acquaintance }) {
      const input = toInput(args)
      if (input === undefined) return invalidInput(definition.name, [{ path: [], message: expected }])
      const value = await find(view, input, { search, sizeLimit })
      acquaintance.listed(
        view,
        context,
        value.actions.flatMap(({ name }) => toDefinition(view, name)),
      )
      return { ok: true, value }
    },
  }
}

const LIMITS = { query: 500, default: 10, most: 50 }

const definition = Object.freeze<ToolDefinition>({
  name: "find_actions",
  title: "Find actions",
  description:
    "Finds what can be done here, by words of its name and description, or lists it by name. Tells for each action its " +
    "input, which tool to run it with, and where it cannot be run now, why. Look here before you say that something " +
    "cannot be done; what can be run changes as the application does.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", maxLength: LIMITS.query, description: "A few words; left out to list everything" },
      available: { type: "boolean", description: "Whether to leave out what cannot be run now. Default: false" },
      limit: { type: "integer", minimum: 1, maximum: LIMITS.most, description: `How many. Default: ${LIMITS.default}` },
      offset: { type: "integer", minimum: 0, description: "How many to pass over, as `next` said. Default: 0" },
    },
    additionalProperties: false,
  },
  annotations: ONLY_READS,
})

interface Input {
  readonly query: string
  readonly available: boolean
  readonly limit: number
  readonly offset: number
}

function toInput(args: Arguments): Input | undefined {
  const { query = "", available = false, limit = LIMITS.default, offset = 0 } = args
  if (!onlyHas(args, ["query", "available", "limit", "offset"])) return undefined
  if (typeof query !== "string" || query.length > LIMITS.query || typeof available !== "boolean") return undefined
  if (!isInteger(limit) || limit < 1 || limit > LIMITS.most || !isInteger(offset) || offset < 0) return undefined
  return { query: query.trim(), available, limit, offset }
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value)
}

const expected =
  `expected "query", a string of at most ${LIMITS.query} characters, "available", a boolean, "limit", an integer from 1 ` +
  `to ${LIMITS.most}, and "offset", an integer from 0, all optional, and nothing else`

async function find(
  view: View,
  { query, available, limit, offset }: Input,
  { search, sizeLimit }: { readonly search: SearchTools; readonly sizeLimit: number },
): Promise<Finding> {
  const known = view.known()
  const all = (query === "" ? known : await search(known, query)).flatMap((entry) => toFound(view, entry))
  const found = available ? all.filter((action) => action.available) : all
  const actions = takeFitting(found.slice(offset, offset + limit), sizeLimit)
  const next = offset + actions.length
  return {
    actions,
    total: found.length,
    ...(next < found.length && { next }),
    ...(found.length === 0 && { hint: toHint(query, known.length) }),
  }
}

function toDefinition(view: View, name: string): readonly ToolDefinition[] {
  const found = view.resolve(name)
  return found.status === "unknown" ? [] : [found.entry.definition]
}

/** What is answered. */
interface Finding {
  readonly actions: readonly Found[]
  readonly total: number
  readonly next?: number
  readonly hint?: string
}

type Found = { readonly name: string; readonly available: boolean }

/** What is told of a tool; nothing of a former name, since the action is found under the one it has now. */
function toFound(view: View, known: ToolEntry): readonly Found[] {
  const resolved = view.resolve(known.name)
  if (resolved.status === "unknown") return []
  if (resolved.status === "unavailable") {
    return [{ ...toRow(known), available: false, ...(resolved.reason !== undefined && { reason: resolved.reason }) }]
  }
  return resolved.entry.name === known.name ? [{ ...toRow(resolved.entry), available: true }] : []
}

function toRow({ definition: { name, title, description, inputSchema, outputSchema, annotations } }: ToolEntry) {
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    runWith: annotations.readOnlyHint === true ? "run_read_action" : "run_action",
    ...(annotations.destructiveHint && { destructive: true }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
  }
}

/** As many as fit, but one at least: its size is bounded where it is published. */
function takeFitting(actions: readonly Found[], sizeLimit: number): readonly Found[] {
  let size = 0
  const end = actions.findIndex((action, index) => {
    size += JSON.stringify(action).length
    return index > 0 && size > sizeLimit
  })
  return end < 0 ? actions : actions.slice(0, end)
}

function toHint(query: string, known: number): string {
  if (known === 0) return "there is no action"
  return query === ""
    ? 'none can be run now: leave out "available" to see why'
    : "try other words, or none to list everything"
}

/** Finds those of `tools` that a few words fit, best first; on equal terms in the order of the list. */
type SearchTools = (tools: readonly ToolEntry[], query: string) => Promise<readonly ToolEntry[]>

/** Keeps the index of a list for as long as the list itself is kept, so that only its first search pays for it. */
export function createToolSearch(): SearchTools {
  const indexes = new WeakMap<readonly ToolEntry[], MiniSearch<Indexed>>()
  return async (tools, query) => {
    const index = indexes.get(tools) ?? (await createIndex(tools))
    indexes.set(tools, index)
    return index
      .search(query)
      .sort((one, other) => other.score - one.score || Number(one.id) - Number(other.id))
      .flatMap(({ id }) => tools[Number(id)] ?? [])
  }
}

/** A tool as it is searched; its id is its position in the list. */
interface Indexed {
  readonly id: number
  readonly words: string
  readonly title: string
  readonly description: string
}

async function createIndex(tools: readonly ToolEntry[]): Promise<MiniSearch<Indexed>> {
  // Most servers are never asked, and start without it.
  const { default: Index } = await import("minisearch")
  const index = new Index<Indexed>({
    fields: ["words", "title", "description"],
    tokenize: toWords,
    searchOptions: {
      boost: { words: 3, title: 2 },
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    },
  })
  index.addAll(
    tools.map(({ path, key, definition: { title = "", description } }, id) => {
      return { id, words: [...path, key].join(" "), title, description }
    }),
  )
  return index
}

/** Keys are often several words in one: `addCard`, `add_card`, `add-card`. */
function toWords(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .split(/[\s\p{P}\p{S}]+/u)
    .filter((word) => word !== "")
}
