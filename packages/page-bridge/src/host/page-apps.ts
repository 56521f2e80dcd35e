import { type AgenticService, type Link, type Principal, toAgenticService } from "@x/agentic-service"
import { createFedService, type Feed } from "@x/agentic-service/adapter"
import { type Channel, createMirrorSwitch, type MirrorSource } from "@x/service-wire"
import { NEVER } from "rxjs"
import type { PageFrame } from "../bridge-frames.js"
import type { HostSettings, Joined, PageLimits, PageTab, Refusal, Visitor } from "./page-options.js"

/** A tab that is connected. */
export interface ConnectedTab {
  /** Its application. */
  readonly app: string
  /** The origin of its page. */
  readonly origin: string
  /** What it is called, the same over reloads. */
  readonly id: string
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
  /** The origin that has the name. */
  readonly origin: string
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
export interface PageAppOptions extends Pick<PageApp, "name" | "origin"> {
  /** How much is taken, and how patient the host is. */
  readonly settings: HostSettings
  /** Told that its tabs are others, or say other things of themselves. */
  readonly changed: () => void
}

interface Tab extends PageTab {
  readonly source: MirrorSource
  /** When it was last in front, by a count of such moments. */
  seen(): number
}

/** No tab yet. */
function createPageApp({ name, origin, settings, changed }: PageAppOptions): PageApp {
  const tabs = new Map<string, Tab>()
  const mirror = createMirrorSwitch(
    {
      name,
      foreign: true,
      graceMs: settings.reloadMs,
      beatMs: settings.beatMs,
      paceMs: settings.paceMs,
      limits: settings.limits,
      elsewhere: `another tab of "${name}" has it: ask the person to bring that tab to the front`,
      absent: `no page of "${name}" is open: open the app at ${origin}`,
    },
    () => choice.lapsed(),
  )
  const choice = createChoice({ tabs, isWaiting: mirror.isWaiting, switchMs: settings.switchMs, changed })

  const join = (page: PageFrame, wire: Channel): PageTab => {
    const source = mirror.attach(wire, {
      changed: choice.told,
      answered: choice.reconsiderSoon,
      lost() {
        if (tabs.get(page.tab) === tab) tabs.delete(page.tab)
        choice.lost(tab)
        changed()
      },
    })
    const tab = createPageTab(page, source, choice.moment)
    tabs.set(page.tab, tab)
    changed()
    return tab
  }

  return {
    name,
    origin,
    service: mirror.service,
    tabs,
    join,
    close(reason) {
      choice.stop()
      for (const tab of [...tabs.values()]) tab.close(reason)
      mirror.close()
    },
  }
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

/** The applications of one principal. */
export interface PageGroup {
  readonly service: AgenticService
  tabs(): readonly ConnectedTab[]
  join(page: PageFrame, visitor: Visitor): Joined | Refusal
  close(): void
}

interface GroupOptions {
  readonly settings: HostSettings
  readonly limits: PageLimits
  readonly principal: Principal | undefined
  readonly changed: () => void
  /** Told that nobody follows it, and it has no application. */
  readonly idle: () => void
}

/** No application yet. */
export function createPageGroup({ settings, limits, principal, changed, idle }: GroupOptions): PageGroup {
  const apps = new Map<string, PageApp>()
  const links = createLinkFeed(apps, idle)
  const service = createFedService({
    name: settings.name,
    description: "The applications that a person has open",
    states: nothing,
    actions: nothing,
    links: links.feed,
    declared: { states: {}, actions: {}, links: {} },
    failures: NEVER,
  })
  // Whoever serves it may have put another in its place, which leads here.
  const closeService = service.close
  const forget = (): void => {
    const idleApp = [...apps.values()].find(({ tabs }) => tabs.size === 0)
    if (idleApp === undefined) return
    apps.delete(idleApp.name)
    links.changed(idleApp.name)
    idleApp.close("it was not used any more")
  }
  const appOf = (name: string, origin: string): PageApp | Refusal => {
    const known = apps.get(name)
    if (known?.origin === origin) return known
    if (known !== undefined)
      return { code: "app_taken", reason: `"${name}" is the app at ${known.origin}: give this one a name of its own` }
    if (apps.size >= limits.apps) forget()
    if (apps.size >= limits.apps) return { code: "limit", reason: `more than ${limits.apps} applications are open` }
    const app = createPageApp({ name, origin, settings, changed })
    apps.set(name, app)
    links.changed(name)
    return app
  }

  return {
    service,
    tabs: () => [...apps.values()].flatMap((app) => toConnected(app, principal)),
    join(page, { origin }) {
      const app = appOf(page.app, origin)
      if ("code" in app) return app
      // A tab that was duplicated remembers what the other is called. One that is reloaded comes when the other is gone.
      const tab = app.tabs.has(page.tab) && app.tabs.get(page.tab)?.load !== page.load ? crypto.randomUUID() : page.tab
      if (app.tabs.size >= limits.tabs) return { code: "limit", reason: `more than ${limits.tabs} tabs are open` }
      return { tab, begin: (wire) => app.join({ ...page, tab }, wire) }
    },
    close() {
      for (const app of apps.values()) app.close("the host is closed")
      apps.clear()
      closeService()
    },
  }
}

function toConnected({ name, origin, tabs }: PageApp, principal: Principal | undefined): readonly ConnectedTab[] {
  return [...tabs.values()].map((tab) => ({
    app: name,
    origin,
    id: tab.id,
    title: tab.title(),
    focused: tab.focused(),
    ...(principal && { principal }),
  }))
}

const nothing: Feed<never> = { connect: () => () => {}, spoken: () => true, find: () => undefined, keys: () => [] }

/** The links to applications. */
function createLinkFeed(apps: ReadonlyMap<string, PageApp>, idle: () => void) {
  const made = new Map<PageApp, Link>()
  let tell: ((keys: readonly string[]) => void) | undefined
  const feed: Feed<Link> = {
    connect(changed) {
      tell = changed
      return () => {
        tell = undefined
        if (apps.size === 0) idle()
      }
    },
    spoken: () => true,
    find(name) {
      const app = apps.get(name)
      if (app === undefined) return undefined
      const link = made.get(app) ?? {
        description: `The app "${name}" at ${app.origin}`,
        service: toAgenticService(app.service),
      }
      made.set(app, link)
      return link
    },
    keys: () => apps.keys(),
  }
  return {
    feed,
    changed(name: string): void {
      for (const app of made.keys()) if (apps.get(app.name) !== app) made.delete(app)
      tell?.([name])
      if (apps.size === 0 && tell === undefined) idle()
    },
  }
}
