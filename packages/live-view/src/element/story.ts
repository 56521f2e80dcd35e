import type { Frame } from "../frames/frame.js"
import { toCaptions } from "./captions.js"
import type { UiState } from "./ui-state.js"

/** Adds to the story what happened; there is an end to what it holds. */
export function tell(ui: UiState, frame: Frame): void {
  ui.story.push(...toCaptions(frame))
  if (ui.story.length > 600) ui.story.splice(0, 300)
}
