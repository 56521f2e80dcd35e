import type { LiveViewOptions } from "@x/live-view"
import type { FetchOptions } from "@x/mcp-adapter/http"
import type { OptionRule } from "@x/tool-schemas/json"

/** How clients are served. */
export interface DevOptions extends Pick<FetchOptions, "exposure" | "states" | "allowedHosts" | "allowedOrigins"> {
  /** What clients are told the server is called. Default `"app"`. */
  readonly name?: string
  /**
   * The one application that is served: its actions have no prefix then, and pages of others are refused. Default: whatever
   * applications the pages say they are, each behind a link of its name.
   */
  readonly app?: string
  /**
   * The live view at `/__mcp/live/`: what models see of the pages, as it changes; for this machine only, whatever else is
   * allowed. `{ show: true }` shows arguments, results and values too, which are masked otherwise; `false` is none of it.
   * Default `true`.
   */
  readonly liveView?: boolean | Pick<LiveViewOptions, "show" | "calls">
}

/** What each of {@link DevOptions} may be. */
export const devRules: Record<keyof DevOptions, OptionRule> = {
  name: "text",
  app: "text",
  exposure: "any",
  states: "any",
  allowedHosts: "any",
  allowedOrigins: "any",
  liveView: { options: { show: "any", calls: "flag" }, or: "flag" },
}
