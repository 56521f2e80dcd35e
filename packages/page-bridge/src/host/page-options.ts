import type { Principal } from "@x/agentic-service"
import type { Channel } from "@x/service-wire"
import { type OptionRule, withDefaults } from "@x/tool-schemas/json"
import type { RefusalCode } from "../bridge-frames.js"

/** How much is taken from pages, so that none of them pushes others out. */
export interface PageLimits {
  /** The most pages at once. Default 2,000. */
  readonly pages: number
  /** The most pages of one principal at once, whatever they say they are. Default 100. */
  readonly perPrincipal: number
  /** The most applications of one principal. Default 20. */
  readonly apps: number
  /** The most tabs of one application of one principal. Default 20. */
  readonly tabs: number
  /** The most states, actions and links of one page; and as many declared ones. Default 2,000. */
  readonly members: number
  /** The most services of one page. Default 500. */
  readonly services: number
  /** The longest frame of a page, in UTF-16 units. Default 1,000,000. */
  readonly frame: number
  /** The most text that is held of one page, in UTF-16 units. Default 16,000,000. */
  readonly held: number
  /** The most calls that run at once in one page. Default 100. */
  readonly calls: number
  /** How often a page's changes are taken in at most, in milliseconds: what changes in between is merged. Default 20. */
  readonly paceMs: number
}

/** The limits used where none are given. */
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

/** What each limit may be. */
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

/** How pages are taken in. */
export interface PageHostOptions {
  /** What the service is called whose links are the applications. Default `"pages"`. */
  readonly name?: string
  /**
   * The one application that pages are of. Its service then stands for itself, so that its actions have no prefix: `empty` in
   * place of `basket__empty`; pages of others are refused. Default: whatever applications come, each behind a link of its name.
   */
  readonly app?: string
  /** How much is taken from pages. */
  readonly limits?: Partial<PageLimits>
  /**
   * How long a page that is gone counts as being reloaded, in milliseconds: what it showed stays, and calls wait. Default 2,000.
   */
  readonly reloadMs?: number
  /** How long another tab has to be in front before it answers for its application, in milliseconds. Default 50. */
  readonly switchMs?: number
  /**
   * How long the tabs of an application must have differed before callers are told that they may choose one, and how long they
   * must have been alike before that is taken back, in milliseconds. Default 500.
   */
  readonly differMs?: number
  /** How often a page is asked for a sign of life, in milliseconds; after two and a half times that it counts as gone. Default 4,000. */
  readonly beatMs?: number
}

/** What each option may be. */
export const pageHostRules: Record<keyof PageHostOptions, OptionRule> = {
  name: "text",
  app: "text",
  limits: { options: pageLimitRules },
  reloadMs: { from: 0 },
  switchMs: { from: 0 },
  differMs: { from: 0 },
  beatMs: { from: 1 },
}

/** The options with what is usual in place. */
export interface HostSettings extends Required<Omit<PageHostOptions, "limits" | "app">> {
  /** See {@link PageHostOptions.app}. */
  readonly app: string | undefined
  /** See {@link PageHostOptions.limits}. */
  readonly limits: Pick<PageLimits, "members" | "services" | "frame" | "held" | "calls">
  /** See {@link PageLimits.paceMs}. */
  readonly paceMs: number
}

/** Puts in place what is usual. */
export function toSettings(options: PageHostOptions, limits: PageLimits): HostSettings {
  const { limits: _, app, ...rest } = options
  const { members, services, frame, held, calls, paceMs } = limits
  const usual = { name: "pages", reloadMs: 2_000, switchMs: 50, differMs: 500, beatMs: 4_000 }
  return { ...withDefaults(usual, rest), app, paceMs, limits: { members, services, frame, held, calls } }
}

/** Where a page is from, and whose it is. */
export interface Visitor {
  /** The origin that its browser named. */
  readonly origin: string
  /** Whose page it is; absent where that is not told apart. */
  readonly principal?: Principal | undefined
}

/** A tab that is connected. */
export interface PageTab {
  /** What it is called. */
  readonly id: string
  /** This load of its page. */
  readonly load: string
  /** The title of its document. */
  title(): string
  /** Whether a person has it in front. */
  focused(): boolean
  /** Takes in what it says of itself. */
  focus(focused: boolean, title: string): void
  /** Ends it. */
  close(reason: string): void
}

/** A page that may not. */
export interface Refusal {
  readonly code: RefusalCode
  readonly reason: string
}

/** A page that may: as soon as its wire is there. */
export interface Joined {
  /** What its tab is called. */
  readonly tab: string
  begin(wire: Channel): PageTab
}
