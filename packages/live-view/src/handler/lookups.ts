import type { CallContext, McpAdapter, ToolEntry } from "@x/mcp-adapter"
import type { ToolDefinition, View } from "@x/mcp-adapter/binding"
import { type JsonSchema, type ProfileName, publish } from "@x/tool-schemas"
import { isRecord, type JsonValue } from "@x/tool-schemas/json"
import { exposures } from "../frames/exposures.js"
import type { ExposureOf } from "../frames/frame.js"
import { takeJson } from "../frames/take-json.js"
import type { AdapterWatch } from "../frames/watch-adapter.js"
import { type LiveViewOptions, toShows } from "../live-view-options.js"
import { createTokenCounter, type ListCost, toPublished } from "../tokens.js"
import type { Post } from "./post.js"

/** What a page can ask for besides what it is told. */
export interface Lookups extends Readonly<Record<string, Post>> {
  /** All of a tool: its definition for a profile, what publishing did to it, and what its form is made from. */
  readonly tool: Post
  /** The value of a state. */
  readonly state: Post
  /** What lists cost, by exposure. */
  readonly costs: Post
  /** Calls a tool. */
  readonly call: Post
}

/** How much of a value a page gets that asks for it. */
const VALUE = { chars: 200_000, values: 20_000 }

/** Answers what a page asks. */
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

const profiles: readonly ProfileName[] = ["portable", "anthropic", "openai", "openai-strict", "gemini", "verbatim"]

function toProfile(text: unknown): ProfileName | undefined {
  return profiles.find((profile) => profile === text)
}

/** What a page shows of one tool. */
interface ToolDetails {
  readonly definition: ToolDefinition
  readonly available: boolean
  readonly reason?: string | undefined
  /** What publishing did for the profile's sake. */
  readonly changes: readonly string[]
  /** What its form is made from: the input as it is published, without references. */
  readonly form: JsonValue
}

function describeTool(
  view: View,
  watch: AdapterWatch,
  { name, profile }: { readonly name: string; readonly profile: ProfileName | undefined },
): ToolDetails | undefined {
  const found = view.resolve(name)
  if (found.status === "unknown") {
    const own = exposures.flatMap((exposure) => watch.builtIns.of(exposure)).find((tool) => tool.name === name)
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
    return [thrown instanceof Error ? thrown.message : String(thrown)]
  }
}

/** What makes forms knows `definitions` only, the word that came before `$defs`. */
function toForm(schema: JsonSchema): JsonValue {
  const text = JSON.stringify(schema)
    .replaceAll('"#/$defs/', '"#/definitions/')
    .replaceAll('"$defs":', '"definitions":')
  return JSON.parse(text)
}

/** One count at a time for each profile, whoever asks. */
function createCosts(watch: AdapterWatch, options: LiveViewOptions, within: Within): Post {
  const counter = createTokenCounter(options.countTokens)
  const running = new Map<string, Promise<object>>()
  const count = (profile: ProfileName | undefined): Promise<object> =>
    within(async (view) => {
      const costOf = async (exposure: ExposureOf): Promise<readonly [ExposureOf, ListCost]> => [
        exposure,
        await counter.count([...toolsOf(view, exposure), ...watch.builtIns.of(exposure)], profile),
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

function toolsOf(view: View, exposure: ExposureOf): readonly ToolEntry[] {
  if (exposure === "meta") return []
  return exposure === "stable" ? view.known() : view.snapshot().tools
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
