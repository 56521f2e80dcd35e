import { type AgenticService, type Link, type Principal, toAgenticService } from "@x/agentic-service"
import { createFedService, type Feed, liveMembersOf } from "@x/agentic-service/adapter"
import { NEVER, type Observable } from "rxjs"
import type { PageFrame } from "../bridge-frames.js"
import { toTargetKey } from "./app-targets.js"
import { type ConnectedTab, createPageApp, type PageApp } from "./page-apps.js"
import type { HostSettings, Joined, PageLimits, Refusal, Visitor } from "./page-options.js"

/** One principal's applications. */
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
  /** Called when it has no application and no followers. */
  readonly idle: () => void
}

/** Creates a group without pages. */
export function createPageGroup(options: GroupOptions): PageGroup {
  const { app } = options.settings
  return app === undefined ? createLinkGroup(options) : createOnlyGroup(app, options)
}

/** Creates a group with one link per application. */
function createLinkGroup({ settings, limits, principal, changed, idle }: GroupOptions): PageGroup {
  const apps = new Map<string, PageApp>()
  const links = createLinkFeed(apps, idle)
  const service = createFedService({
    name: settings.name,
    description: "The applications that the person has open",
    states: nothing,
    actions: nothing,
    links: links.feed,
    declared: { states: {}, actions: {}, links: {} },
    failures: NEVER,
  })
  // The code that serves it may replace `close` by a function that leads back here.
  const closeService = service.close
  const forget = (): void => {
    const idleApp = [...apps.values()].find(({ tabs }) => tabs.size === 0)
    if (idleApp === undefined) return
    apps.delete(idleApp.name)
    links.changed(idleApp.name)
    idleApp.close("it has no open tab and another application took its place")
  }
  const appOf = (name: string, origin: string): PageApp | Refusal => {
    const known = apps.get(name)
    if (known !== undefined) return known
    if (apps.size >= limits.apps) forget()
    if (apps.size >= limits.apps)
      return {
        code: "limit",
        reason: `the limit of ${limits.apps} applications is reached: close the tabs of another application, then reload this page`,
      }
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

/** Creates a group with a single application, whose service it is. */
function createOnlyGroup(name: string, { settings, limits, principal, changed, idle }: GroupOptions): PageGroup {
  const app = createPageApp({ name, settings, changed: told })
  let followed = 0
  let used = false
  function told(): void {
    changed()
    // A joining tab describes itself before it is added.
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
      return {
        code: "malformed",
        reason: `found a page of "${page.app}", expected one of "${name}", the only app of this host`,
      }
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
    return {
      code: "app_taken",
      reason: `the name "${app.name}" is taken by the app at ${app.origin()}: give this app another name`,
    }
  // A duplicated tab sends the original's id. A reloaded one returns after the original is gone.
  const tab = app.tabs.has(page.tab) && app.tabs.get(page.tab)?.load !== page.load ? crypto.randomUUID() : page.tab
  if (app.tabs.size >= limits.tabs)
    return { code: "limit", reason: `the limit of ${limits.tabs} tabs is reached: close one, then reload this page` }
  return { tab, begin: (wire) => app.join({ ...page, tab }, wire) }
}

/** Feeds another service's members, and reports each new or lost follower. */
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

/** Creates the links to applications. */
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
