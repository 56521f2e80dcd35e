import { mergeMap } from "rxjs"
import type { Notice } from "../catalogue/view.js"
import { createStateTools } from "./built-ins/create-state-tools.js"
import { createRunAction } from "./built-ins/run-action.js"
import type { Exposure, ExposureNotice } from "./exposure.js"
import type { ExposureOptions } from "./exposure-options.js"
import { withBuiltIns } from "./with-built-ins.js"

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
  if (notice.kind === "tools") return []
  return notice.kind === "known" ? [{ kind: "tools" }] : [notice]
}
