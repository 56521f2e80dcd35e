import { filter } from "rxjs"
import type { ToolDefinition } from "../catalogue/entry.js"
import type { Notice, View } from "../catalogue/view.js"
import { createStateTools } from "./built-ins/create-state-tools.js"
import { createFindActions } from "./built-ins/find-actions.js"
import { createRunAction } from "./built-ins/run-action.js"
import { runReadAction } from "./built-ins/run-read-action.js"
import type { Exposure } from "./exposure.js"
import type { ExposureOptions } from "./exposure-options.js"
import { withBuiltIns } from "./with-built-ins.js"

/**
 * Shows a few fixed tools, which find actions and run them, so that a list of any length costs a host and its model the
 * same. Nothing is told of tools, since their list never changes.
 */
export function createMetaExposure(options: ExposureOptions = {}): Exposure {
  const find = createFindActions(options.sizeLimit ?? 100_000)
  const run = createRunAction({ listed: false, confirm: options.confirm ?? false })
  const exposure = withBuiltIns([find, run, runReadAction, ...createStateTools(options)], {
    tools: () => none,
    notices: (view) => view.notices.pipe(filter(isShown)),
  })
  const lists = new WeakMap<View, readonly ToolDefinition[]>()
  return {
    ...exposure,
    list(view) {
      const list =
        lists.get(view) ?? exposure.list(view).map((tool) => (tool === find.definition ? tellOf(view, tool) : tool))
      lists.set(view, list)
      return list
    },
  }
}

const none: readonly never[] = []

function isShown(notice: Notice): notice is Extract<Notice, { kind: "resources" | "updated" }> {
  return notice.kind === "resources" || notice.kind === "updated"
}

/** A model that sees no action must be told what there could be, or it says that it has no such tool. */
function tellOf(view: View, find: ToolDefinition): ToolDefinition {
  const service = view.serviceAt([])?.service
  if (service === undefined) return find
  const what = service.description === undefined ? `"${service.name}"` : `"${service.name}": ${service.description}`
  return Object.freeze({ ...find, description: `${find.description} This is ${what}` })
}
