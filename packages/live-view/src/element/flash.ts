import type { Last } from "../frames/picture.js"
import type { UiState } from "./ui-state.js"

/** How long something that has changed is pointed out, in milliseconds. */
const FLASH = 2_500

/** What a row is to be marked as: what became of it, if that was just now. */
export function flashOf(last: Last | undefined, { picture, player }: UiState): string {
  if (last === undefined || picture === undefined) return ""
  // In a recording nothing passes, so only what the last step brought about is pointed out.
  const age = player === undefined ? picture.at - last.at : (picture.at - last.at) * FLASH
  return age <= FLASH ? last.how : ""
}
