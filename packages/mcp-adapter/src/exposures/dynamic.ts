import { filter } from "rxjs"
import type { Notice } from "../catalogue/view.js"
import { createStateTools } from "./built-ins/create-state-tools.js"
import { createRunAction } from "./built-ins/run-action.js"
import type { Exposure, ExposureNotice } from "./exposure.js"
import type { ExposureOptions } from "./exposure-options.js"
import { withBuiltIns } from "./with-built-ins.js"

/** Shows what can be called now, and a few constant tools of our own. */
export function createDynamicExposure(options: ExposureOptions = {}): Exposure {
  const { runAction: runs = true, confirm = false } = options
  return withBuiltIns([...createStateTools(options), ...(runs ? [createRunAction({ confirm })] : [])], {
    tools: (view) => view.snapshot().tools,
    notices: (view) => view.notices.pipe(filter(isShown)),
  })
}

function isShown(notice: Notice): notice is Extract<Notice, ExposureNotice> {
  return notice.kind !== "known"
}
