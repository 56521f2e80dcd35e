import type { OptionRule } from "@x/base"
import type { LiveViewOptions } from "@x/live-view"
import type { FetchOptions } from "@x/mcp-adapter/http"

/** Options for serving clients in development. */
export interface DevOptions extends Pick<FetchOptions, "exposure" | "states" | "allowedHosts" | "allowedOrigins"> {
  /** The server's name, as clients see it. Default `"app"`. */
  readonly name?: string
  /**
   * The single application to serve: its actions then have no prefix, and pages of other applications are rejected. Default: a
   * link for each application.
   */
  readonly app?: string
  /**
   * The live view at `/__mcp/live/`, which shows what models see of the pages. Only this machine can open it. `{ show: true }`
   * shows arguments, results and values, which are masked otherwise; `false` turns the view off. Default `true`.
   */
  readonly liveView?: boolean | Pick<LiveViewOptions, "show" | "calls">
}

/** The accepted values of each of {@link DevOptions}. */
export const devRules: Record<keyof DevOptions, OptionRule> = {
  name: "text",
  app: "text",
  exposure: "any",
  states: "any",
  allowedHosts: "any",
  allowedOrigins: "any",
  liveView: { options: { show: "any", calls: "flag" }, or: "flag" },
}
