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

/** A tab that is connected. */
export interface ConnectedTab {
  /** Its application. */
  readonly app: string
  /** The origin of its page. */
  readonly origin: string
  /** What it is called, the same over reloads. */
  readonly id: string
  /** What callers choose it by, as the `target` of `run_action` and `get_state`, while tabs of its application differ. */
  readonly target: string
  /** The title of its document, as the page says. */
  readonly title: string
  /** Whether a person has it in front. */
  readonly focused: boolean
  /** Whose it is. */
  readonly principal?: Principal
}

/** One application of one principal: its tabs, and the service that stands for the one in front. */
export interface PageApp {
  /** Its name, and the key of its link. */
  readonly name: string
  /** Whether it is the app at this origin, which is that of its first page. */
  isAt(origin: string): boolean
  /** The origin that has the name; empty while no page has come. */
  origin(): string
  /** The service of the tab in front; the same one whichever that is. */
  readonly service: AgenticService
  /** Its tabs. */
  readonly tabs: ReadonlyMap<string, PageTab>
  /** Takes a tab in. */
  join(page: PageFrame, wire: Channel): PageTab
  /** Ends it, and its tabs with it. */
  close(reason: string): void
}

/** What an application needs. */
export interface PageAppOptions extends Pick<PageApp, "name"> {
  /** The origin that has the name; left out where the first page decides. */
  readonly origin?: string
  /** How much is taken, and how patient the host is. */
  readonly settings: HostSettings
  /** Told that its tabs are others, or say other things of themselves. */
  readonly changed: () => void
}

interface Tab extends PageTab, Pick<MirrorSource, "isWhole" | "action" | "states" | "thing"> {
  readonly source: MirrorSource
  /** When it was last in front, by a count of such moments. */
  seen(): number
}

/** No tab yet. */
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
      // A page that is loaded again is another: it may show another document under the same names.
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

  // Calls that come before any page do not wait for one.
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
  const elsewhere = `another tab of "${name}" has it: ask the person to bring that tab to the front`
  return { name, foreign: true, graceMs, beatMs, paceMs, limits, elsewhere, absent }
}

interface ChoiceOptions extends Pick<PageAppOptions, "changed"> {
  readonly tabs: ReadonlyMap<string, Tab>
  readonly isWaiting: () => boolean
  readonly switchMs: number
}

/** Which tab answers: the one in front, or the one that was last. */
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
  /** A tab stays while a call runs in it. While one may be reloading, another takes its place where a person has it in front, or nothing is lost. */
  const reconsider = (): void => {
    const next = best()
    if (next === undefined || next === selected) return
    if (isWaiting() && !next.focused() && !next.source.covers()) return
    if (selected !== undefined && selected.source.running() > 0) return
    select(next)
  }
  /** A person who looks for a tab has several in front, one after the other. */
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
    /** The one that is missing has not come back in time. */
    lapsed(): void {
      const next = best()
      if (next !== undefined) select(next)
    },
    lost(tab: Tab): void {
      if (selected === tab) selected = undefined
    },
    /** A tab said something of itself: counts such moments. */
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
