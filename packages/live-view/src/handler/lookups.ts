import { isRecord, type JsonValue, toMessage } from "@x/base"
import type { CallContext, McpAdapter, ToolEntry } from "@x/mcp-adapter"
import type { ToolDefinition, View } from "@x/mcp-adapter/binding"
import type { Visitor } from "@x/mcp-adapter/fetch"
import { type JsonSchema, type ProfileName, profileNames, publish } from "@x/tool-schemas"
import type { ExposureOf } from "../frames/frame.js"
import { exposures } from "../frames/frame.js"
import { takeJson } from "../frames/take-json.js"
import type { AdapterWatch } from "../frames/watch-adapter.js"
import { type LiveViewOptions, toShows } from "../live-view-options.js"
import { createTokenCounter, type ListCost, toPublished } from "../tokens.js"

/** Answers a request with a JSON body. Resolves with `undefined` if the requested item does not exist. */
export type Post = (body: Readonly<Record<string, unknown>>, visitor: Visitor) => Promise<object | undefined>

/** The requests of a page beyond the event stream. */
export interface Lookups extends Readonly<Record<string, Post>> {
  /** Returns a tool's details: its definition for a profile, the changes for publishing, and the schema of its form. */
  readonly tool: Post
  /** Returns a state's value. */
  readonly state: Post
  /** Returns the cost of lists, by exposure. */
  readonly costs: Post
  /** Calls a tool. */
  readonly call: Post
}

/** The size limit of a requested value. */
const VALUE = { chars: 200_000, values: 20_000 }

/** Creates the handlers of a page's requests. */
export function createLookups(adapter: McpAdapter, watch: AdapterWatch, options: LiveViewOptions): Lookups {
  const shows = toShows(options.show)
  const { principal } = options
  const within = async <Result>(use: (view: View) => Result): Promise<Awaited<Result>> => {
    const { view, release } = adapter.core.open(principal)
    try {
      await view.ready()
      return await use(view)
    } finally {
      release()
    }
  }
  return {
    tool: async ({ name, profile }) =>
      within((view) => describeTool(view, watch, { name: String(name), profile: toProfile(profile) })),
    state: async ({ uri }) =>
      within((view) => {
        const state = shows.values ? view.state(String(uri))?.current() : undefined
        return state && { ...takeJson(state.value, VALUE) }
      }),
    costs: createCosts(watch, options, within),
    call: async (body, visitor) => {
      if (options.calls === false) return undefined
      const context = toContext(body, { principal, signal: abortedAtEnd(visitor) })
      const args = isRecord(body["args"]) ? body["args"] : {}
      const answer = await adapter.call(String(body["name"]), args, context)
      if (answer.kind !== "settled") return answer
      const { outcome } = answer
      const told = outcome.ok ? outcome.value : outcome.message
      return {
        kind: "settled",
        ok: outcome.ok,
        ...(!outcome.ok && { code: outcome.code ?? "action_failed", recovery: outcome.recovery }),
        ...(shows.results && told !== undefined && takeJson(told, VALUE)),
        hidden: !shows.results,
      }
    },
  }
}

type Within = <Result>(use: (view: View) => Result) => Promise<Awaited<Result>>

function toProfile(text: unknown): ProfileName | undefined {
  return profileNames.find((profile) => profile === text)
}

/** A tool's details in the page. */
interface ToolDetails {
  readonly definition: ToolDefinition
  readonly available: boolean
  readonly reason?: string | undefined
  /** Changes that the profile needed. */
  readonly changes: readonly string[]
  /** The schema of its form: the published input with `definitions` instead of `$defs`. */
  readonly form: JsonValue
}

function describeTool(
  view: View,
  watch: AdapterWatch,
  { name, profile }: { readonly name: string; readonly profile: ProfileName | undefined },
): ToolDetails | undefined {
  const found = view.resolve(name)
  if (found.status === "unknown") {
    const items = watch.builtIns.items().map(({ definition }) => definition)
    const own = [...exposures.flatMap(watch.builtIns.of), ...items].find((tool) => tool.name === name)
    return own && { definition: own, available: true, changes: [], form: toForm(own.inputSchema) }
  }
  const { entry } = found
  return {
    definition: toPublished(entry, profile),
    available: found.status === "available",
    ...(found.status === "unavailable" && { reason: found.reason }),
    changes: changesOf(entry, profile).slice(0, 100),
    form: toForm(entry.definition.inputSchema),
  }
}

function changesOf(entry: ToolEntry, profile: ProfileName | undefined): readonly string[] {
  try {
    const { changes } = profile === undefined ? entry : publish(entry.schema, { profile })
    return changes.map((change) => JSON.stringify(change))
  } catch (thrown) {
    return [toMessage(thrown)]
  }
}

/** Renames `$defs` to the older `definitions`, the only name that the form library knows. */
function toForm(schema: JsonSchema): JsonValue {
  const text = JSON.stringify(schema)
    .replaceAll('"#/$defs/', '"#/definitions/')
    .replaceAll('"$defs":', '"definitions":')
  return JSON.parse(text)
}

/** Counts once at a time per profile, however many pages ask. */
function createCosts(watch: AdapterWatch, options: LiveViewOptions, within: Within): Post {
  const counter = createTokenCounter(options.countTokens)
  const running = new Map<string, Promise<object>>()
  const count = (profile: ProfileName | undefined): Promise<object> =>
    within(async (view) => {
      const costOf = async (exposure: ExposureOf): Promise<readonly [ExposureOf, ListCost]> => [
        exposure,
        await counter.count([...toolsOf(view, watch, exposure), ...watch.builtIns.of(exposure)], profile),
      ]
      const costs = await Promise.all(exposures.map(costOf))
      return { encoding: await counter.encoding(), ...Object.fromEntries(costs) }
    })
  return ({ profile }) => {
    const wanted = toProfile(profile)
    const key = wanted ?? ""
    const found = running.get(key) ?? count(wanted).finally(() => running.delete(key))
    running.set(key, found)
    return found
  }
}

function toolsOf(
  view: View,
  { builtIns }: AdapterWatch,
  exposure: ExposureOf,
): readonly (ToolEntry | ToolDefinition)[] {
  if (exposure === "meta") return []
  if (exposure === "stable") return view.known()
  const { tools } = view.snapshot()
  if (exposure === "dynamic") return tools
  const items = builtIns.items()
  const grouped = new Set(items.flatMap(({ actions }) => actions))
  return [...tools.filter(({ name }) => !grouped.has(name)), ...items.map(({ definition }) => definition)]
}

function toContext(
  { requestState, inputResponses }: Readonly<Record<string, unknown>>,
  { principal, signal }: { readonly principal: LiveViewOptions["principal"]; readonly signal: AbortSignal },
): Partial<CallContext> {
  return {
    client: "live-view",
    signal,
    clientCapabilities: { elicitation: { form: {} } },
    ...(principal && { principal }),
    ...(typeof requestState === "string" && { requestState }),
    ...(isRecord(inputResponses) && { inputResponses }),
  }
}

function abortedAtEnd(visitor: Parameters<Post>[1]): AbortSignal {
  const controller = new AbortController()
  visitor.onEnd((end) => {
    if (end !== "taken") controller.abort()
  })
  return controller.signal
}
