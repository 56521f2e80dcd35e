import { showShort } from "@x/base"
import type { ToolEntry } from "@x/mcp-adapter"
import type { ToolDefinition } from "@x/mcp-adapter/binding"
import { type ProfileName, publish } from "@x/tool-schemas"

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number

/** A list's cost for models. */
export interface ListCost {
  /** The number of tools. */
  readonly tools: number
  /** The number of JSON characters. */
  readonly chars: number
  /** The approximate number of tokens, counted tool by tool. */
  readonly tokens: number
}

/** Counts the cost of lists in small steps, so that nothing else has to wait. */
export interface TokenCounter {
  /** Resolves with the encoding: `o200k_base`, or an estimate. */
  readonly encoding: () => Promise<string>
  /** Counts a list's cost with its tools published for a profile, or as the adapter publishes them if `undefined`. */
  count(tools: readonly (ToolEntry | ToolDefinition)[], profile?: ProfileName): Promise<ListCost>
}

/** How long a step may take, in milliseconds. */
const PORTION = 8
/** The longest text that is tokenized; longer ones are estimated, because the tokenizer is slow for some. */
const LONGEST = 20_000

/**
 * Creates a counter. By default it counts tokens of `o200k_base` if `js-tiktoken` is installed, else a quarter of the
 * characters.
 */
export function createTokenCounter(own: CountTokens | undefined): TokenCounter {
  let loading: Promise<Counting> | undefined
  const load = (): Promise<Counting> => {
    loading ??= own === undefined ? loadTiktoken() : Promise.resolve({ encoding: "the application's own", count: own })
    return loading
  }
  const known = new Map<string, WeakMap<object, Counted>>()
  return {
    encoding: async () => (await load()).encoding,
    async count(tools, profile) {
      const { count } = await load()
      const counted = known.get(profile ?? "") ?? new WeakMap<object, Counted>()
      known.set(profile ?? "", counted)
      let cost = { tools: 0, chars: 0, tokens: 0 }
      let since = performance.now()
      for (const tool of tools) {
        if (performance.now() - since > PORTION) {
          await nextTask()
          since = performance.now()
        }
        const key = "definition" in tool ? tool.definition : tool
        const { chars, tokens } = counted.get(key) ?? countTool(toPublished(tool, profile), count)
        counted.set(key, { chars, tokens })
        cost = { tools: cost.tools + 1, chars: cost.chars + chars + 1, tokens: cost.tokens + tokens }
      }
      return cost
    },
  }
}

interface Counting {
  readonly encoding: string
  readonly count: CountTokens
}

interface Counted {
  readonly chars: number
  readonly tokens: number
}

/** Returns a tool's definition for a profile. A schema that cannot be published for it stays as published now. */
export function toPublished(tool: ToolEntry | ToolDefinition, profile: ProfileName | undefined): ToolDefinition {
  if (!("definition" in tool)) return tool
  if (profile === undefined) return tool.definition
  try {
    return { ...tool.definition, inputSchema: publish(tool.schema, { profile }).schema }
  } catch {
    return tool.definition
  }
}

function countTool(definition: ToolDefinition, count: CountTokens): Counted {
  const text = JSON.stringify(definition)
  const tokens: unknown = text.length > LONGEST ? Math.ceil(text.length / 4) : count(text)
  if (typeof tokens === "number" && tokens >= 0) return { chars: text.length, tokens }
  throw new TypeError(`"countTokens" returned ${showShort(tokens)}: expected a number of at least 0`)
}

async function loadTiktoken(): Promise<Counting> {
  try {
    const [{ Tiktoken }, { default: ranks }] = await Promise.all([
      import("js-tiktoken/lite"),
      import("js-tiktoken/ranks/o200k_base"),
    ])
    const encoder = new Tiktoken(ranks)
    return { encoding: "o200k_base", count: (text) => encoder.encode(text, "all").length }
  } catch {
    return { encoding: "estimated, characters / 4", count: (text) => Math.ceil(text.length / 4) }
  }
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
