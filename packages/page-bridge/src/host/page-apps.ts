import type { AgenticService, Principal } from "@x/agentic-service"
import { composeThing } from "@x/agentic-service/adapter"
import {
  type Channel,
  createMirrorSwitch,
  type MirrorOptions,
  type MirrorSource,
  type SourceListener,
} from "@x/service-wire"
import type { PageFrame } from "../bridge-frames.js"
import { createAppTargets } from "./app-targets.js"
import type { HostSettings, PageTab } from "./page-options.js"

/** A connected tab. */
export interface ConnectedTab {
  /** The application's name. */
  readonly app: string
  /** The page's origin. */
  readonly origin: string
  /** The tab's id, which survives reloads. */
  readonly id: string
  /** The key by which callers select it, as `target` of `run_action` and `get_state`, while its application's tabs differ. */
  readonly target: string
  /** The document's title, as the page sent it. */
  readonly title: string
  /** Whether the tab is in front. */
  readonly focused: boolean
  /** The page's principal. */
  readonly principal?: Principal
}

/** One principal's application: its tabs, and a service that mirrors the selected tab. */
export interface PageApp {
  /** The application's name, which is also its link's key. */
  readonly name: string
  /** Whether the application belongs to this origin. The first page's origin decides. */
  isAt(origin: string): boolean
  /** Returns the application's origin; empty before the first page. */
  origin(): string
  /** The selected tab's service. The object stays the same when another tab is selected. */
  readonly service: AgenticService
  /** The connected tabs. */
  readonly tabs: ReadonlyMap<string, PageTab>
  /** Adds a tab. */
  join(page: PageFrame, wire: Channel): PageTab
  /** Closes the application and its tabs. */
  close(reason: string): void
}

/** Options of an application. */
export interface PageAppOptions extends Pick<PageApp, "name"> {
  /** The application's origin. Omit it to let the first page decide. */
  readonly origin?: string
  /** Limits and times. */
  readonly settings: HostSettings
  /** Called when tabs join, leave or change their description. */
  readonly changed: () => void
}

interface Tab extends PageTab, Pick<MirrorSource, "isWhole" | "action" | "states" | "thing"> {
  readonly source: MirrorSource
  /** Returns the moment when it was last in front, as a count. */
  seen(): number
}

/** Creates an application without tabs. */
export function createPageApp({ name, origin, settings, changed }: PageAppOptions): PageApp {
  const tabs = new Map<string, Tab>()
  const where = origin === undefined ? "ask the person to open it in a browser" : `open the app at ${origin}`
  const absent = `no page of "${name}" is open: ${where}`
  let home = origin
  const mirror = createMirrorSwitch(toMirrorOptions(name, absent, settings), () => choice.lapsed())
  const choice = createChoice({ tabs, isWaiting: mirror.isWaiting, switchMs: settings.switchMs, changed })
  const { targets, look, stop } = createAppTargets({
    tabs: () => [...tabs.values()],
    front: choice.selected,
    differ: mirror.differ,
    settings,
  })

  const join = (page: PageFrame, wire: Channel): PageTab => {
    const listener: SourceListener = {
      changed: choice.told,
      told: look,
      answered: choice.reconsiderSoon,
      lost() {
        if (tabs.get(page.tab) === tab) tabs.delete(page.tab)
        choice.lost(tab)
        look()
        changed()
      },
    }
    const source = mirror.attach(wire, listener, {
      // A reloaded page is another thing: it may show another document under the same names.
      thing: composeThing(name, home ?? "", page.tab, page.load),
      place: page.tab,
      asker: { kind: "page", name: home ?? name },
      title: () => tab.title(),
    })
    const tab = createPageTab(page, source, choice.moment)
    tabs.set(page.tab, tab)
    changed()
    return tab
  }

  // Calls that arrive before any page do not wait for one.
  if (origin === undefined) mirror.absent(absent)
  return {
    name,
    isAt(origin) {
      home ??= origin
      return home === origin
    },
    origin: () => home ?? "",
    service: Object.assign(mirror.service, { targets }),
    tabs,
    join,
    close(reason) {
      choice.stop()
      stop()
      for (const tab of [...tabs.values()]) tab.close(reason)
      mirror.close()
    },
  }
}

function toMirrorOptions(name: string, absent: string, settings: HostSettings): MirrorOptions {
  const { reloadMs: graceMs, beatMs, paceMs, limits } = settings
  const elsewhere = `only another tab of "${name}" has it: ask the person to bring that tab to the front`
  return { name, foreign: true, graceMs, beatMs, paceMs, limits, elsewhere, absent }
}

interface ChoiceOptions extends Pick<PageAppOptions, "changed"> {
  readonly tabs: ReadonlyMap<string, Tab>
  readonly isWaiting: () => boolean
  readonly switchMs: number
}

/** Selects the answering tab: the front tab, or the last one before it lost the focus. */
function createChoice({ tabs, isWaiting, switchMs, changed }: ChoiceOptions) {
  let selected: Tab | undefined
  let moments = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const best = (): Tab | undefined => {
    const whole = [...tabs.values()].filter(({ source }) => source.isWhole())
    return whole.sort((one, other) => Number(other.focused()) - Number(one.focused()) || other.seen() - one.seen())[0]
  }
  const select = (tab: Tab): void => {
    selected = tab
    tab.source.select()
    changed()
  }
  /**
   * Keeps the selected tab while a call runs in it. While it may be reloading, another tab replaces it only if that is in front
   * or has all its members.
   */
  const reconsider = (): void => {
    const next = best()
    if (next === undefined || next === selected) return
    if (isWaiting() && !next.focused() && !next.source.covers()) return
    if (selected !== undefined && selected.source.running() > 0) return
    select(next)
  }
  /** Waits a moment: a person who looks for a tab passes through several. */
  const reconsiderSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      reconsider()
    }, switchMs)
  }
  return {
    selected: () => selected,
    reconsiderSoon,
    told: () => (selected === undefined ? reconsider() : reconsiderSoon()),
    /** Selects another tab when the missing one has not returned in time. */
    lapsed(): void {
      const next = best()
      if (next !== undefined) select(next)
    },
    lost(tab: Tab): void {
      if (selected === tab) selected = undefined
    },
    /** Returns a new moment when a tab has described itself. */
    moment(): number {
      reconsiderSoon()
      changed()
      moments += 1
      return moments
    },
    stop: () => clearTimeout(timer),
  }
}

function createPageTab({ tab, load, ...page }: PageFrame, source: MirrorSource, told: () => number): Tab {
  let { title, focused } = page
  let seen = told()
  return {
    id: tab,
    load,
    source,
    isWhole: source.isWhole,
    action: source.action,
    states: source.states,
    thing: source.thing,
    title: () => title,
    focused: () => focused,
    seen: () => seen,
    focus(next, newTitle) {
      focused = next
      title = newTitle
      const moment = told()
      if (next) seen = moment
    },
    close: (reason) => source.close(reason),
  }
}
