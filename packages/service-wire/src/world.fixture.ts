// An application whose names stay while its services are replaced. It records by itself what each call ran on.
import { type AgenticService, action, createAgenticService, link, state } from "@x/agentic-service"
import { BehaviorSubject, map } from "rxjs"
import type { Channel } from "./channel.js"
import { type ChannelPair, createChannelPair } from "./channel-pair.fixture.js"
import { type MirroredService, mirrorService } from "./mirror-service.js"
import { createMirrorSwitch, type MirrorSource } from "./mirror-switch.js"
import { offerService } from "./offer-service.js"

/** Records one run of an action. */
export interface Ran {
  readonly call: number
  readonly label: string
}

/** A service, with a label that only the test knows. */
export interface Doc {
  readonly label: string
  readonly service: AgenticService
}

/** A page or a process, with services that look like those of any other. */
export interface App {
  readonly root: Doc
  readonly one: BehaviorSubject<Doc>
  readonly two: BehaviorSubject<Doc>
}

/** The paths that a call may address: the root, or the target of a link. */
export const PATHS = ["root", "one", "two"] as const
export type PathName = (typeof PATHS)[number]

/** The keys of the actions: `later` checks its input asynchronously, `sure` asks for confirmation, `peek` changes nothing. */
export const KEYS = ["go", "later", "sure", "peek"] as const

/** @param visible - Whether a state shows the service's label. Otherwise all visible members stay equal. */
export function createWorld(visible: boolean) {
  const ran: Ran[] = []
  let made = 0
  const createDoc = (place: string, links: Pick<App, "one" | "two"> | undefined): Doc => {
    made += 1
    const label = `${place}doc${made}`
    const service = createAgenticService({
      name: "doc",
      states: { who: state({ schema: { type: "string" }, value: visible ? label : "somebody" }) },
      actions: createActions(label, ran),
      ...(links && {
        links: {
          one: link({ service: links.one.pipe(toService) }),
          two: link({ service: links.two.pipe(toService) }),
        },
      }),
    })
    return { label, service }
  }
  const createApp = (place: string): App => {
    const one = new BehaviorSubject(createDoc(place, undefined))
    const two = new BehaviorSubject(createDoc(place, undefined))
    return { one, two, root: createDoc(place, { one, two }) }
  }
  return { ran, createApp, createDoc: (place: string) => createDoc(place, undefined) }
}

const toService = map<Doc, AgenticService>(({ service }) => service)

function createActions(label: string, ran: Ran[]) {
  const note = (input: unknown): void => {
    if (isInput(input)) ran.push({ call: input.call, label })
  }
  const input = { type: "object", properties: { call: { type: "integer" } }, required: ["call"] } as const
  return {
    go: action({ description: "Go", input, execute: note }),
    later: action({ description: "Go later", input: slowInput, execute: note }),
    sure: action({ description: "Delete it", input, confirm: () => "Delete it?", execute: note }),
    peek: action({ description: "Peek", input, readOnly: true, execute: note }),
  }
}

/** A Standard Schema that checks asynchronously, as one that asks a server does. */
const slowInput = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: async (value: unknown) => {
      for (let times = 0; times < 3; times += 1) await new Promise((resolve) => setImmediate(resolve))
      return { value }
    },
    jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
  },
} as const

function isInput(value: unknown): value is { readonly call: number } {
  return typeof value === "object" && value !== null && "call" in value
}

/** Returns the service at a path in the application itself. */
export function docAt({ root, one, two }: App, path: PathName): Doc {
  if (path === "root") return root
  return path === "one" ? one.value : two.value
}

/** A mirror across replacements, and the application that it mirrors now. */
export interface Front {
  readonly mirror: Pick<MirroredService, "status"> & { readonly service: AgenticService }
  /** Returns the application that answers. */
  app(): App
  /** Returns the tab and its load; empty without tabs. */
  place(): string
  /** Breaks the connection and opens another. */
  reconnect(): Promise<void>
  /** Replaces the application that answers, as a page reload does. */
  reload(): Promise<void>
  /** Selects another tab. */
  switchTab(): Promise<void>
  hold(): void
  release(): void
  /** Returns the number of frames sent. */
  sent(): number
  close(): void
}

type World = ReturnType<typeof createWorld>
/** Opens the two ends of a channel. */
export type Connect = () => Pick<ChannelPair, "near" | "far"> & Partial<ChannelPair>

/** Creates a mirror of trusted processes. */
export function createMirrorFront(world: World, connect: Connect = createChannelPair): Front {
  let app = world.createApp("")
  let sent = 0
  let pair = open()
  function open(): ReturnType<Connect> {
    const opened = connect()
    offerService(
      app.root.service,
      counted(opened.near, () => (sent += 1)),
    )
    return opened
  }
  const mirror = mirrorService(pair.far, { graceMs: 60_000, beatMs: 60_000 })
  const come = async (): Promise<void> => {
    pair.cut?.()
    pair = open()
    mirror.resume(pair.far)
  }
  return {
    mirror: { service: mirror, status: mirror.status },
    app: () => app,
    place: () => "",
    reconnect: come,
    reload() {
      app = world.createApp("")
      return come()
    },
    switchTab: async () => {},
    hold: () => pair.hold?.("far"),
    release: () => pair.release?.("far"),
    sent: () => sent,
    close: mirror.close,
  }
}

interface Page {
  readonly tab: string
  load: number
  app: App
  pair: ReturnType<Connect>
  source: MirrorSource | undefined
}

/** Creates a mirror of foreign pages, one of which answers at a time. */
export function createTabsFront(world: World, connect: Connect = createChannelPair): Front {
  const mirror = createMirrorSwitch({ graceMs: 60_000, beatMs: 60_000, foreign: true })
  let sent = 0
  const pages = ["a", "b"].map((tab): Page => {
    return { tab, load: 1, app: world.createApp(`${tab}1 `), pair: connect(), source: undefined }
  })
  let front = 0
  const pageOf = (): Page => pages[front] ?? never()
  const open = (page: Page): Promise<void> => {
    offerService(
      page.app.root.service,
      counted(page.pair.near, () => (sent += 1)),
    )
    return new Promise((resolve) => {
      const place = { thing: `${page.tab}/${page.load}`, place: page.tab }
      page.source = mirror.attach(page.pair.far, { changed: resolve }, place)
    })
  }
  const come = async (page: Page): Promise<void> => {
    page.pair.cut?.()
    page.pair = connect()
    await open(page)
    if (page === pageOf()) page.source?.select()
  }
  const ready = Promise.all(pages.map(open)).then(() => pageOf().source?.select())
  return {
    mirror,
    app: () => pageOf().app,
    place: () => pageOf().tab,
    reconnect: () => ready.then(() => come(pageOf())),
    async reload() {
      await ready
      const page = pageOf()
      page.load += 1
      page.app = world.createApp(`${page.tab}${page.load} `)
      await come(page)
    },
    async switchTab() {
      await ready
      front = 1 - front
      pageOf().source?.select()
    },
    hold: () => pageOf().pair.hold?.("far"),
    release() {
      for (const { pair } of pages) pair.release?.("far")
    },
    sent: () => sent,
    close: mirror.close,
  }
}

function counted(channel: Channel, sent: () => void): Channel {
  return {
    ...channel,
    send(frame) {
      sent()
      channel.send(frame)
    },
  }
}

function never(): never {
  throw new Error("there are two pages")
}
