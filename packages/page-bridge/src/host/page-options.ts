import type { Principal } from "@x/agentic-service"
import { type OptionRule, withDefaults } from "@x/base"
import type { Channel } from "@x/service-wire"
import type { RefusalCode } from "../bridge-frames.js"

/** Limits for pages, so that no page pushes others out. */
export interface PageLimits {
  /** The most pages at once. Default 2,000. */
  readonly pages: number
  /** The most pages of one principal at once, counted before they introduce themselves. Default 100. */
  readonly perPrincipal: number
  /** The most applications of one principal. Default 20. */
  readonly apps: number
  /** The most tabs per application and principal. Default 20. */
  readonly tabs: number
  /** The most states, actions and links of one page, and the most declared ones. Default 2,000. */
  readonly members: number
  /** The most services of one page. Default 500. */
  readonly services: number
  /** The longest frame of a page, in UTF-16 units. Default 1,000,000. */
  readonly frame: number
  /** The most text held for one page, in UTF-16 units. Default 16,000,000. */
  readonly held: number
  /** The most calls that run at once in one page. Default 100. */
  readonly calls: number
  /** The shortest time between two updates of a page, in milliseconds. Changes in between are merged. Default 20. */
  readonly paceMs: number
}

/** The default limits. */
export const defaultPageLimits: PageLimits = {
  pages: 2_000,
  perPrincipal: 100,
  apps: 20,
  tabs: 20,
  members: 2_000,
  services: 500,
  frame: 1_000_000,
  held: 16_000_000,
  calls: 100,
  paceMs: 20,
}

/** The accepted values of each limit. */
const pageLimitRules: Record<keyof PageLimits, OptionRule> = {
  pages: { from: 1, whole: true },
  perPrincipal: { from: 1, whole: true },
  apps: { from: 1, whole: true },
  tabs: { from: 1, whole: true },
  members: { from: 1, whole: true },
  services: { from: 1, whole: true },
  frame: { from: 10_000, whole: true },
  held: { from: 10_000, whole: true },
  calls: { from: 1, whole: true },
  paceMs: { from: 0 },
}

/** Options of a page host. */
export interface PageHostOptions {
  /** The root service's name. Default `"pages"`. */
  readonly name?: string
  /**
   * The single application to serve. Its service is then served directly, so that its actions have no prefix (`empty` instead
   * of `basket__empty`), and pages of other applications are rejected. Default: a link for each application.
   */
  readonly app?: string
  /** Limits for pages. */
  readonly limits?: Partial<PageLimits>
  /**
   * How long a disconnected page counts as reloading, in milliseconds. Its members stay visible and calls wait. Default 2,000.
   */
  readonly reloadMs?: number
  /** How long another tab must be in front before it answers for its application, in milliseconds. Default 50. */
  readonly switchMs?: number
  /**
   * How long an application's tabs must differ before callers can select one, and how long they must be equal before the choice
   * is withdrawn, in milliseconds. Default 500.
   */
  readonly differMs?: number
  /** The interval between heartbeats, in milliseconds. A page counts as gone after 2.5 silent intervals. Default 4,000. */
  readonly beatMs?: number
}

/** The accepted values of each option. */
export const pageHostRules: Record<keyof PageHostOptions, OptionRule> = {
  name: "text",
  app: "text",
  limits: { options: pageLimitRules },
  reloadMs: { from: 0 },
  switchMs: { from: 0 },
  differMs: { from: 0 },
  beatMs: { from: 1 },
}

/** The options with defaults filled in. */
export interface HostSettings extends Required<Omit<PageHostOptions, "limits" | "app">> {
  /** See {@link PageHostOptions.app}. */
  readonly app: string | undefined
  /** See {@link PageHostOptions.limits}. */
  readonly limits: Pick<PageLimits, "members" | "services" | "frame" | "held" | "calls">
  /** See {@link PageLimits.paceMs}. */
  readonly paceMs: number
}

/** Fills in defaults. */
export function toSettings(options: PageHostOptions, limits: PageLimits): HostSettings {
  const { limits: _, app, ...rest } = options
  const { members, services, frame, held, calls, paceMs } = limits
  const usual = { name: "pages", reloadMs: 2_000, switchMs: 50, differMs: 500, beatMs: 4_000 }
  return { ...withDefaults(usual, rest), app, paceMs, limits: { members, services, frame, held, calls } }
}

/** A page's origin and principal. */
export interface Visitor {
  /** The browser's `Origin`. */
  readonly origin: string
  /** The page's principal; absent if principals are not distinguished. */
  readonly principal?: Principal | undefined
}

/** A connected tab. */
export interface PageTab {
  /** The tab's id. */
  readonly id: string
  /** The id of the page load. */
  readonly load: string
  /** Returns the document's title. */
  title(): string
  /** Whether the tab is in front. */
  focused(): boolean
  /** Updates focus and title. */
  focus(focused: boolean, title: string): void
  /** Closes the tab. */
  close(reason: string): void
}

/** Why a page is rejected. */
export interface Refusal {
  readonly code: RefusalCode
  readonly reason: string
}

/** An accepted page, which may begin once its wire is ready. */
export interface Joined {
  /** The tab's id. */
  readonly tab: string
  begin(wire: Channel): PageTab
}
