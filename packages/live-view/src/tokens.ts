import type { ToolEntry } from "@x/mcp-adapter"
import type { ToolDefinition } from "@x/mcp-adapter/binding"
import { type ProfileName, publish } from "@x/tool-schemas"

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number

/** What a list costs a model. */
export interface ListCost {
  /** How many tools are on it. */
  readonly tools: number
  /** How many characters of JSON it has. */
  readonly chars: number
  /** How many tokens that is, about: tools are counted one by one. */
  readonly tokens: number
}

/** Counts what lists cost, in portions, so that nothing else has to wait. */
export interface TokenCounter {
  /** What the counts are: `o200k_base`, or an estimate. */
  readonly encoding: () => Promise<string>
  /** What a list costs, its tools published for a profile; `undefined` publishes them as the adapter does. */
  count(tools: readonly (ToolEntry | ToolDefinition)[], profile?: ProfileName): Promise<ListCost>
}

/** How long a portion may take, in milliseconds. */
const PORTION = 8
/** A text that is longer is estimated: the tokenizer takes more than its share of time for some. */
const LONGEST = 20_000

/**
 * Makes a counter. Without a function of the application's own, tokens are those of `o200k_base` where `js-tiktoken` is
 * installed, else a fourth of the characters.
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

/** A tool as it is listed for a profile. A schema that a profile cannot say stays as it is published now. */
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
  const tokens = text.length > LONGEST ? Math.ceil(text.length / 4) : count(text)
  return { chars: text.length, tokens }
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
