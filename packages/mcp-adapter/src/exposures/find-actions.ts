import type { Outcome } from "@x/agentic-service"
import { invalidInput } from "@x/agentic-service/adapter"
import type { ObjectSchema } from "@x/tool-schemas"
import type MiniSearch from "minisearch"
import type { Arguments } from "../calls/call-context.js"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import type { View } from "../views/view.js"
import { type ActionCall, type BuiltIn, isOptionalObject, ONLY_READS, onlyHas } from "./built-in.js"

/** The tool that finds actions, whether they can be called now or not, and tells how. */
export function createFindActions(sizeLimit: number): BuiltIn {
  const search = createToolSearch()
  return {
    definition,
    async run(args, { view }) {
      const input = toInput(args)
      if (input === undefined) return invalidInput(definition.name, [{ path: [], message: expected }])
      return { ok: true, value: await find(view, input, { search, sizeLimit }) }
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
): Promise<object> {
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

/** How `run_action` is made. */
interface RunActionOptions {
  /** Whether actions are listed beside it. Default `true`. */
  readonly listed?: boolean
  /** Whether it takes the tokens of calls that were to be confirmed. Default `false`. */
  readonly confirm?: boolean
}

/** The tool that calls any action by name, so that a client that never lists again can call what it learns later. */
export function createRunAction({ listed = true, confirm = false }: RunActionOptions = {}): BuiltIn {
  return {
    definition: Object.freeze<ToolDefinition>({
      name: "run_action",
      title: "Run action",
      description: listed ? BESIDE_LISTED : FOUND,
      inputSchema: confirm ? confirmedCallSchema : actionCallSchema,
      annotations: { readOnlyHint: false, destructiveHint: true },
    }),
    // Beside a list that stays as it is, it would serve only for tokens.
    serves: ({ changes }) => changes || confirm || !listed,
    target: confirm ? toConfirmedCall : toActionCall,
    run: () =>
      invalidInput("run_action", [{ path: [], message: confirm ? expectedConfirmedCall : expectedActionCall }]),
  }
}

const BESIDE_LISTED =
  "Runs an action by its tool name, exactly as calling that tool does. For actions that became available " +
  "after the tools were listed; call listed tools directly."

const FOUND =
  "Runs an action by the name that `find_actions` tells, whether it changes something or not. For those that it tells " +
  "to run with `run_read_action`, that tool does as well."

const expectedConfirmedCall =
  'expected "name", a string, "arguments", an optional object, "confirm", an optional string, and nothing else'

/** The input of a tool that runs actions. */
const actionCallSchema: ObjectSchema = {
  type: "object",
  properties: {
    name: { type: "string", description: "The action's tool name" },
    arguments: { type: "object", description: "The action's arguments; left out for none" },
  },
  required: ["name"],
  additionalProperties: false,
}

/** The same, where calls can be confirmed. */
const confirmedCallSchema: ObjectSchema = {
  ...actionCallSchema,
  properties: {
    ...Object(actionCallSchema["properties"]),
    confirm: { type: "string", description: "The token of an answer that asked for a confirmation" },
  },
}

/** The tool that calls by name what changes nothing, so that hosts can let it pass without asking. */
export const runReadAction: BuiltIn = {
  definition: Object.freeze<ToolDefinition>({
    name: "run_read_action",
    title: "Run read-only action",
    description:
      "Runs an action that changes nothing, by the name that `find_actions` tells. Others are refused: run them with " +
      "`run_action`.",
    inputSchema: actionCallSchema,
    annotations: { readOnlyHint: true, destructiveHint: false },
  }),
  target(args, view) {
    const action = toActionCall(args)
    return action !== undefined && mayRun(view, action.name) ? action : undefined
  },
  run(args) {
    const action = toActionCall(args)
    if (action === undefined) return invalidInput("run_read_action", [{ path: [], message: expectedActionCall }])
    return refuse(action.name)
  },
}

/** A name that means nothing is for the call to refuse, as everywhere. */
function mayRun(view: View, name: string): boolean {
  const resolved = view.resolve(name)
  return resolved.status === "unknown" || resolved.entry.definition.annotations.readOnlyHint === true
}

function refuse(name: string): Outcome {
  return {
    ok: false,
    code: "not_read_only",
    message: `action "${name}" may change something, and "run_read_action" runs only what is marked as read-only`,
    recovery: 'run it with "run_action"',
  }
}

/** Reads that input; `undefined` where it is another. */
function toActionCall(args: Arguments): ActionCall | undefined {
  const { name, arguments: given } = args
  if (!onlyHas(args, ["name", "arguments"]) || typeof name !== "string" || !isOptionalObject(given)) return undefined
  return { name, args: given ?? {} }
}

/** Reads that input where calls can be confirmed. */
function toConfirmedCall({ confirm, ...args }: Arguments): ActionCall | undefined {
  const call = toActionCall(args)
  if (call === undefined || confirm === undefined) return call
  return typeof confirm === "string" ? { ...call, confirm } : undefined
}

/** What to say where it is another. */
const expectedActionCall = 'expected "name", a string, and "arguments", an optional object, and nothing else'
