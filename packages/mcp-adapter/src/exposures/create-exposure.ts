import { compareText } from "@x/tool-schemas/json"
import { filter, mergeMap, type Observable } from "rxjs"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import { createListMap } from "../runtime/list-map.js"
import type { Notice, View } from "../views/view.js"
import { type BuiltIn, type Offer, toOffer } from "./built-in.js"
import type { Exposure, ExposureName, ExposureNotice, ExposureOptions } from "./exposure.js"
import { createFindActions } from "./find-actions.js"
import { createGetState } from "./get-state.js"
import { createListLinks } from "./list-links.js"
import { createRunAction, runReadAction } from "./run-action.js"
import { showsGetState, showsResources } from "./state-mode.js"
import { createWaitFor } from "./wait-for.js"

/** Makes an exposure by its name. */
export function createExposure(name: ExposureName, options: ExposureOptions): Exposure {
  return create[name](options)
}

const create: Readonly<Record<ExposureName, (options: ExposureOptions) => Exposure>> = {
  dynamic: createDynamicExposure,
  meta: createMetaExposure,
  stable: createStableExposure,
}

/** What an exposure shows beside the tools of our own. */
interface Face {
  /** The actions that are listed, sorted by name; the same array as long as they are the same. */
  tools(view: View): readonly ToolEntry[]
  /** What clients are to be told. */
  notices(view: View): Observable<ExposureNotice>
}

/** What was listed last in a view. */
interface Put {
  /** The actions in it. */
  readonly tools: readonly ToolEntry[]
  /** The targets to choose from. */
  readonly targets: readonly string[]
  /** What there could be in the view: decides which tools of our own are in it. */
  readonly offer: Offer
  /** All of it. */
  readonly list: readonly ToolDefinition[]
  /** Gives the definitions of actions. */
  readonly define: (tools: readonly ToolEntry[]) => readonly ToolDefinition[]
}

/** Puts the tools of our own before the actions. */
function withBuiltIns(builtIns: readonly BuiltIn[], face: Face): Exposure {
  const sorted = [...builtIns].sort((one, other) => compareText(one.definition.name, other.definition.name))
  const byName = new Map(builtIns.map((builtIn) => [builtIn.definition.name, builtIn]))
  // Clients list far more often than something changes.
  const lists = new WeakMap<View, Put>()
  const ownOf = (offer: Offer): readonly BuiltIn[] => sorted.filter(({ serves }) => serves?.(offer) !== false)
  const put = (view: View, { tools, targets, offer, define }: Omit<Put, "list">): readonly ToolDefinition[] => {
    // Ours first: there are hosts that read one page only, and `run_action` reaches what stands on the others.
    const told = ownOf(offer).map(({ aimed, definition }) =>
      targets.length === 0 ? definition : (aimed?.(targets) ?? definition),
    )
    const list = told.concat(define(tools))
    lists.set(view, { tools, targets, offer, list, define })
    return list
  }
  return {
    list(view) {
      const tools = face.tools(view)
      const targets = view.targets.keys()
      const offer = toOffer(view)
      const last = lists.get(view)
      if (last?.tools === tools && last.targets === targets && isSameOffer(last.offer, offer)) return last.list
      return put(view, { tools, targets, offer, define: last?.define ?? createListMap(({ definition }) => definition) })
    },
    ownNames: [...byName.keys()],
    own: (view) => ownOf(toOffer(view)).map(({ definition }) => definition),
    resolve(_view, name) {
      const builtIn = byName.get(name)
      return builtIn ? { kind: "built-in", builtIn } : { kind: "action", name }
    },
    notices: face.notices,
  }
}

function isSameOffer(one: Offer, other: Offer): boolean {
  return one.states === other.states && one.links === other.links && one.changes === other.changes
}

/** Shows what can be called now, and a few constant tools of our own. */
function createDynamicExposure(options: ExposureOptions = {}): Exposure {
  const { runAction: runs = true, confirm = false } = options
  return withBuiltIns([...createStateTools(options), ...(runs ? [createRunAction({ confirm })] : [])], {
    tools: (view) => view.snapshot().tools,
    notices: (view) => view.notices.pipe(filter(isShown)),
  })
}

function isShown(notice: Notice): notice is Extract<Notice, ExposureNotice> {
  return notice.kind !== "known"
}

/**
 * Shows every tool that is known, whether it can be called now or not, so that the list stays the same while availability
 * moves: nothing is told then, and what a host has cached of the list stays good.
 */
export function createStableExposure(options: ExposureOptions = {}): Exposure {
  const { runAction: runs = true, confirm = false } = options
  return withBuiltIns([...createStateTools(options), ...(runs ? [createRunAction({ confirm })] : [])], {
    tools: (view) => view.known(),
    notices: (view) => view.notices.pipe(mergeMap(toShown)),
  })
}

function toShown(notice: Notice): readonly ExposureNotice[] {
  if (notice.kind === "tools") return none
  return notice.kind === "known" ? [{ kind: "tools" }] : [notice]
}

/**
 * Shows a few fixed tools, which find actions and run them, so that a list of any length costs a host and its model the
 * same. Nothing is told of tools, since their list never changes.
 */
export function createMetaExposure(options: ExposureOptions = {}): Exposure {
  const find = createFindActions(options.sizeLimit ?? 100_000)
  const run = createRunAction({ listed: false, confirm: options.confirm ?? false })
  const exposure = withBuiltIns([find, run, runReadAction, ...createStateTools(options)], {
    tools: () => none,
    notices: (view) => view.notices.pipe(filter(isOfFixed)),
  })
  const lists = new WeakMap<readonly ToolDefinition[], readonly ToolDefinition[]>()
  return {
    ...exposure,
    list(view) {
      const plain = exposure.list(view)
      const list = lists.get(plain) ?? plain.map((tool) => (tool === find.definition ? tellOf(view, tool) : tool))
      lists.set(plain, list)
      return list
    },
  }
}

const none: readonly never[] = []

/** Of fixed tools only what there is to choose from moves. */
function isOfFixed(notice: Notice): notice is Extract<Notice, ExposureNotice> {
  return notice.kind === "tools" ? notice.targets : notice.kind !== "known"
}

/** A model that sees no action must be told what there could be, or it says that it has no such tool. */
function tellOf(view: View, find: ToolDefinition): ToolDefinition {
  const service = view.serviceAt([])?.service
  if (service === undefined) return find
  const what = service.description === undefined ? `"${service.name}"` : `"${service.name}": ${service.description}`
  return Object.freeze({ ...find, description: `${find.description} This is ${what}` })
}

/** The tools of our own that look: the same in every exposure, as the options want them. */
function createStateTools(options: ExposureOptions): readonly BuiltIn[] {
  const { states = "both", links = true, linkUrl, sizeLimit = 100_000, waitFor = false } = options
  const services = linkUrl ? "one" : "any"
  const reading = [
    createGetState({ sizeLimit, services, resources: showsResources(states) }),
    ...(waitFor === false ? [] : [createWaitFor(waitFor === true ? {} : waitFor, { sizeLimit, services })]),
  ]
  return [...(showsGetState(states) ? reading : []), ...(links ? [createListLinks(sizeLimit, linkUrl)] : [])]
}
