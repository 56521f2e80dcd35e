import type { Leg } from "../calls/call-context.js"
import { type StateMode, showsResources } from "../exposures/state-mode.js"
import type { Extension, ExtensionCapabilities } from "./extension.js"

/** What a server announces of itself. A `type` so that SDK types accept it. */
export type Capabilities = ExtensionCapabilities & {
  /** Always there, also with no tool yet: one may come. */
  readonly tools: {
    /** Whether notices tell of changes. */
    readonly listChanged?: true
  }
}

/** Says exactly what a leg can deliver: no notice is promised where none can arrive. */
export function toCapabilities(leg: Leg, states: StateMode, extension: Extension = {}): Capabilities {
  const further = { ...impliedBy(extension), ...extension.capabilities?.(leg) }
  if (!leg.notices) return { ...withoutNotices(further), ...(showsResources(states) && { resources: {} }), tools: {} }
  const ours = { listChanged: true, subscribe: true }
  return { ...further, ...(showsResources(states) && { resources: ours }), tools: { listChanged: true } }
}

/** A method that is answered is announced. */
function impliedBy({ methods = {} }: Extension): ExtensionCapabilities {
  const names = Object.keys(methods)
  const has = (prefix: string): boolean => names.some((name) => name.startsWith(prefix))
  return {
    ...(has("prompts/") && { prompts: {} }),
    ...(has("resources/") && { resources: {} }),
    ...(has("completion/") && { completions: {} }),
  }
}

/** Log messages arrive as notices do, between the answers. */
function withoutNotices({ logging: _, prompts, resources, ...rest }: ExtensionCapabilities): ExtensionCapabilities {
  return { ...rest, ...(prompts && { prompts: {} }), ...(resources && { resources: {} }) }
}
