import { invalidInput } from "@x/agentic-service/adapter"
import type MiniSearch from "minisearch"
import type { Arguments } from "../calls/call-context.js"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import type { View } from "../views/view.js"
import { type BuiltIn, ONLY_READS, onlyHas } from "./built-in.js"

/** Creates the tool that finds actions, available or not, and tells how to run them. */
export function createFindActions(sizeLimit: number): BuiltIn {
  const search = createToolSearch()
  return {
    definition,
    async run(args, { view, context, acquaintance }) {
      const input = toInput(args)
      if (input === undefined) return invalidInput(definition.name, [{ path: [], message: expected }])
      const value = await find(view, input, { search, sizeLimit })
      const tools = value.actions.flatMap(({ name }) => toDefinition(view, name))
      acquaintance.listed(view, context, { tools })
      return { ok: true, value }
    },
  }
}

const LIMITS = { query: 500, default: 10, most: 50 }

const definition = Object.freeze<ToolDefinition>({
  name: "find_actions",
  title: "Find actions",
  description:
    "Finds actions of this application by words in their names and descriptions, or lists them all by name. Returns each " +
    "action's input schema, the tool that runs it and, if it cannot run now, the reason. Search here before you say that " +
    "something cannot be done: the available actions change with the application.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", maxLength: LIMITS.query, description: "A few search words. Omit to list everything" },
      available: { type: "boolean", description: "Whether to return only actions that can run now. Default: false" },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: LIMITS.most,
        description: `How many actions to return. Default: ${LIMITS.default}`,
      },
      offset: {
        type: "integer",
        minimum: 0,
        description: "How many actions to skip: `next` of the last answer. Default: 0",
      },
    },
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

/** The tool's result. */
interface Finding {
  readonly actions: readonly Found[]
  readonly total: number
  readonly next?: number
  readonly hint?: string
}

type Found = { readonly name: string; readonly available: boolean }

/** Returns a tool's row in the result; nothing for a tool's former name, since the action is found under its current one. */
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

/** Returns as many actions as fit, but at least one, whose size is already limited when it is published. */
function takeFitting(actions: readonly Found[], sizeLimit: number): readonly Found[] {
  let size = 0
  const end = actions.findIndex((action, index) => {
    size += JSON.stringify(action).length
    return index > 0 && size > sizeLimit
  })
  return end < 0 ? actions : actions.slice(0, end)
}

function toHint(query: string, known: number): string {
  if (known === 0) return "there are no actions"
  return query === ""
    ? 'no action can run now: omit "available" to list them with the reasons'
    : 'no action matches: try other words, or omit "query" to list everything'
}

/** Finds the tools that match a few words, best first; equal matches keep the list's order. */
type SearchTools = (tools: readonly ToolEntry[], query: string) => Promise<readonly ToolEntry[]>

/** Creates the search. A list's index is kept as long as the list, so only its first search builds it. */
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

/** A tool's indexed text; its id is its position in the list. */
interface Indexed {
  readonly id: number
  readonly words: string
  readonly title: string
  readonly description: string
}

async function createIndex(tools: readonly ToolEntry[]): Promise<MiniSearch<Indexed>> {
  // Loaded on first use: most servers are never searched.
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

/** Splits text into words, also inside keys: `addCard`, `add_card`, `add-card`. */
function toWords(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .split(/[\s\p{P}\p{S}]+/u)
    .filter((word) => word !== "")
}
