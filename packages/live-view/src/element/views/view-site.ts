import type { Last } from "../../frames/picture.js"
import type { Actions } from "../actions.js"
import type { UiState } from "../ui-state.js"

/** The dependencies of views. */
export interface ViewSite {
  readonly ui: UiState
  readonly actions: Actions
  readonly redraw: () => void
}

/** Returns the time now, on the clock of frames; in a recording, the time of its current step. */
export function nowOf({ picture, player, heard }: UiState): number {
  if (player !== undefined || heard === undefined) return picture?.at ?? 0
  return heard.at + performance.now() - heard.here
}

/** How long a change is highlighted, in milliseconds. */
const FLASH = 2_500

/** Returns a row's recent change, for its highlight. */
export function flashOf(last: Last | undefined, { picture, player }: UiState): string {
  if (last === undefined || picture === undefined) return ""
  // In a recording no time passes, so only the last step's changes are highlighted.
  const age = player === undefined ? picture.at - last.at : (picture.at - last.at) * FLASH
  return age <= FLASH ? last.how : ""
}
