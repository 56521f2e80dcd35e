import { type AgenticService, type Link, type Principal, toAgenticService } from "@x/agentic-service"
import { createFedService, type Feed, liveMembersOf } from "@x/agentic-service/adapter"
import { NEVER, type Observable } from "rxjs"
import type { PageFrame } from "../bridge-frames.js"
import { toTargetKey } from "./app-targets.js"
import { type ConnectedTab, createPageApp, type PageApp } from "./page-apps.js"
import type { HostSettings, Joined, PageLimits, Refusal, Visitor } from "./page-options.js"

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

/** No page yet. */
export function createPageGroup(options: GroupOptions): PageGroup {
  const { app } = options.settings
  return app === undefined ? createLinkGroup(options) : createOnlyGroup(app, options)
}

/** Whatever applications there are, each behind a link. */
function createLinkGroup({ settings, limits, principal, changed, idle }: GroupOptions): PageGroup {
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
    if (known !== undefined) return known
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
    join(page, visitor) {
      const app = appOf(page.app, visitor.origin)
      return "code" in app ? app : joinApp(app, { page, visitor, limits })
    },
    close() {
      for (const app of apps.values()) app.close("the host is closed")
      apps.clear()
      closeService()
    },
  }
}

/** The one application that pages may be of: the service is its own. */
function createOnlyGroup(name: string, { settings, limits, principal, changed, idle }: GroupOptions): PageGroup {
  const app = createPageApp({ name, settings, changed: told })
  let followed = 0
  let used = false
  function told(): void {
    changed()
    // A tab that joins tells of itself before it is among them.
    used ||= app.tabs.size > 0
    forget()
  }
  const forget = (): void => {
    if (!used || app.tabs.size > 0 || followed > 0) return
    used = false
    idle()
  }
  const follow = <Item>(map: Observable<Readonly<Record<string, Item>>>): Feed<Item> =>
    watchFollowers(map, (step) => {
      followed += step
      used = true
      forget()
    })
  const { service } = app
  const standIn: AgenticService = createFedService({
    get name() {
      return service.name
    },
    get description() {
      return service.description
    },
    get declared() {
      return service.declared
    },
    states: follow(service.states),
    actions: follow(service.actions),
    links: follow(service.links),
    failures: service.failures ?? NEVER,
    occupancy: service.occupancy,
  })
  const closeService = standIn.close
  return {
    service: Object.assign(standIn, service.targets && { targets: service.targets }),
    tabs: () => toConnected(app, principal),
    join(page, visitor) {
      if (page.app === name) return joinApp(app, { page, visitor, limits })
      return { code: "malformed", reason: `only pages of "${name}" are served here, and this one is of "${page.app}"` }
    },
    close() {
      app.close("the host is closed")
      closeService()
    },
  }
}

function joinApp(
  app: PageApp,
  { page, visitor, limits }: { readonly page: PageFrame; readonly visitor: Visitor; readonly limits: PageLimits },
): Joined | Refusal {
  if (!app.isAt(visitor.origin))
    return { code: "app_taken", reason: `"${app.name}" is the app at ${app.origin()}: give this one a name of its own` }
  // A tab that was duplicated remembers what the other is called. One that is reloaded comes when the other is gone.
  const tab = app.tabs.has(page.tab) && app.tabs.get(page.tab)?.load !== page.load ? crypto.randomUUID() : page.tab
  if (app.tabs.size >= limits.tabs) return { code: "limit", reason: `more than ${limits.tabs} tabs are open` }
  return { tab, begin: (wire) => app.join({ ...page, tab }, wire) }
}

/** The members of another service, and whether somebody follows them: one more, or one less. */
function watchFollowers<Item>(map: Observable<Readonly<Record<string, Item>>>, step: (by: 1 | -1) => void): Feed<Item> {
  const members = liveMembersOf(map)
  return {
    connect(changed) {
      step(1)
      const leave = members?.follow(changed)
      return () => {
        leave?.()
        step(-1)
      }
    },
    spoken: () => members?.spoken() ?? false,
    find: (key) => members?.find(key),
    keys: () => members?.keys() ?? [],
  }
}

function toConnected({ name, origin, tabs }: PageApp, principal: Principal | undefined): readonly ConnectedTab[] {
  return [...tabs.values()].map((tab) => ({
    app: name,
    origin: origin(),
    id: tab.id,
    target: toTargetKey(tab),
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
        description: `The app "${name}" at ${app.origin()}`,
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
