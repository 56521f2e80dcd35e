import type { Actions } from "../actions.js"
import type { UiState } from "../ui-state.js"

/** What views draw from. */
export interface ViewSite {
  readonly ui: UiState
  readonly actions: Actions
  readonly redraw: () => void
}
