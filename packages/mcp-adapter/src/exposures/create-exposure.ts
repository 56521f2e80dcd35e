import { filter, mergeMap } from "rxjs"
import type { ToolDefinition } from "../catalogue/entry.js"
import type { Notice, View } from "../views/view.js"
import type { BuiltIn } from "./built-in.js"
import type { Exposure, ExposureName, ExposureNotice, ExposureOptions } from "./exposure.js"
import { createFindActions } from "./find-actions.js"
import { createGetState } from "./get-state.js"
import { createGroupedExposure } from "./grouped-exposure.js"
import { createListLinks } from "./list-links.js"
import { createRunAction, runReadAction } from "./run-tools.js"
import { showsGetState, showsResources } from "./state-mode.js"
import { createTaskTools } from "./task-tools.js"
import { createWaitFor } from "./wait-for.js"
import { withBuiltIns } from "./with-built-ins.js"

/** Creates an exposure by its name. */
export function createExposure(name: ExposureName, options: ExposureOptions): Exposure {
  return create[name](options)
}

const create: Readonly<Record<ExposureName, (options: ExposureOptions) => Exposure>> = {
  dynamic: createDynamicExposure,
  grouped: (options) => createGroupedExposure(createListTools(options), options.links !== false),
  meta: createMetaExposure,
  stable: createStableExposure,
}

/** Creates the exposure that lists the actions callable now, and a few constant built-in tools. */
function createDynamicExposure(options: ExposureOptions = {}): Exposure {
  return withBuiltIns(createListTools(options), {
    tools: (view) => view.snapshot().tools,
    notices: (view) => view.notices.pipe(filter(isShown)),
  })
}

function isShown(notice: Notice): notice is Extract<Notice, ExposureNotice> {
  return notice.kind !== "known" && notice.kind !== "links"
}

/**
 * Creates the exposure that lists every known tool, available or not. The list stays the same while availability changes: no
 * notice is sent, and hosts' cached lists stay valid.
 */
export function createStableExposure(options: ExposureOptions = {}): Exposure {
  return withBuiltIns(createListTools(options), {
    tools: (view) => view.known(),
    notices: (view) => view.notices.pipe(mergeMap(toShown)),
  })
}

function toShown(notice: Notice): readonly ExposureNotice[] {
  if (notice.kind === "tools" || notice.kind === "links") return none
  return notice.kind === "known" ? [{ kind: "tools" }] : [notice]
}

/**
 * Creates the exposure that lists only a few fixed tools, which find and run actions, so that any number of actions costs a
 * host and its model the same. No notice about tools is sent, except when the choice of targets changes.
 */
export function createMetaExposure(options: ExposureOptions = {}): Exposure {
  const find = createFindActions(options.sizeLimit ?? 100_000)
  const run = createRunAction({ listed: false, confirm: options.confirm ?? false })
  const exposure = withBuiltIns([find, run, runReadAction, ...createStateTools(options), ...createTasks(options)], {
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

/**
 * Whether a notice concerns fixed tools: among them, only the choice of targets can change, and a first long action adds those
 * for tasks.
 */
function isOfFixed(notice: Notice): notice is Extract<Notice, ExposureNotice> {
  if (notice.kind !== "tools") return isShown(notice)
  return notice.targets || notice.diff.tools.appeared.some(({ long }) => long === true)
}

/** Adds the service's description to `find_actions`: a model that sees no actions would otherwise say that it lacks a tool. */
function tellOf(view: View, find: ToolDefinition): ToolDefinition {
  const service = view.serviceAt([])?.service
  if (service === undefined) return find
  const what = service.description === undefined ? `"${service.name}"` : `"${service.name}": ${service.description}`
  return Object.freeze({ ...find, description: `${find.description} This is ${what}` })
}

/** Creates the built-in tools beside a list of actions, according to the options. */
function createListTools(options: ExposureOptions): readonly BuiltIn[] {
  const { runAction: runs = true, confirm = false } = options
  return [...createStateTools(options), ...createTasks(options), ...(runs ? [createRunAction({ confirm })] : [])]
}

/** Creates the built-in tools for long actions, according to the options. */
function createTasks({ tasks = true, isReserved = () => true }: ExposureOptions): readonly BuiltIn[] {
  return tasks ? createTaskTools(isReserved) : []
}

/** Creates the built-in tools that read states and links, the same in every exposure, according to the options. */
function createStateTools(options: ExposureOptions): readonly BuiltIn[] {
  const { states = "both", links = true, linkUrl, sizeLimit = 100_000, waitFor = false } = options
  const services = linkUrl ? "one" : "any"
  const reading = [
    createGetState({ sizeLimit, services, resources: showsResources(states) }),
    ...(waitFor === false ? [] : [createWaitFor(waitFor === true ? {} : waitFor, { sizeLimit, services })]),
  ]
  return [...(showsGetState(states) ? reading : []), ...(links ? [createListLinks(sizeLimit, linkUrl)] : [])]
}
