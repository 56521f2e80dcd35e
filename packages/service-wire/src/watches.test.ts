import { type AgenticService, createAgenticService, link, type RemoteValue } from "@x/agentic-service"
import { createFedService, type Feed, thingOf } from "@x/agentic-service/adapter"
import { BehaviorSubject, filter, firstValueFrom, NEVER } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { mirrorService } from "./mirror-service.js"
import { offerService } from "./offer-service.js"

const empty: Feed<never> = { connect: () => () => {}, spoken: () => true, find: () => undefined, keys: () => [] }
const endOfTask = () => new Promise((resolve) => setImmediate(resolve))

/** Creates a held value that counts its watchers. */
function createHeld(text: string) {
  const held = { watched: 0, things: [] as (string | undefined)[] }
  const remote: RemoteValue = {
    async read({ thing }) {
      held.things.push(thing)
      return [{ type: "resource", uri: "x:y", text }]
    },
    watch() {
      held.watched += 1
      return () => {
        held.watched -= 1
      }
    },
  }
  return { held, remote }
}

/** Creates a service with a file whose value can move to another place. */
function createFiles(first: RemoteValue, rest: Pick<AgenticService, "occupancy"> = {}) {
  const tellers = new Set<(keys: readonly string[]) => void>()
  let remote: RemoteValue | undefined = first
  const make = () => remote && { schema: {}, value: {}, remote }
  let file = make()
  const service = createFedService({
    name: "files",
    states: {
      ...empty,
      connect(tell) {
        tellers.add(tell)
        return () => tellers.delete(tell)
      },
      find: (key) => (key === "file" ? file : undefined),
      keys: () => (file === undefined ? [] : ["file"]),
    },
    actions: empty,
    links: empty,
    declared: { states: {}, actions: {}, links: {} },
    failures: NEVER,
    occupancy: rest.occupancy,
  })
  const move = (next: RemoteValue | undefined): void => {
    remote = next
    file = make()
    for (const tell of tellers) tell(["file"])
  }
  return { service, move }
}

async function connect(service: AgenticService) {
  const pair = createChannelPair()
  offerService(service, pair.near)
  const mirror = mirrorService(pair.far)
  await firstValueFrom(mirror.status.pipe(filter(({ state }) => state === "live")))
  return { mirror, ...pair }
}

async function fileOf(service: AgenticService): Promise<RemoteValue> {
  const remote = (await firstValueFrom(service.states))["file"]?.remote
  if (remote === undefined) throw new Error("there is no file")
  return remote
}

/** Waits until all frames have been delivered. */
async function rest(): Promise<void> {
  for (let times = 0; times < 10; times += 1) await endOfTask()
}

describe("a state watched over the wire", () => {
  it("is watched only in the place that holds it now", async () => {
    const [one, other] = [createHeld("one"), createHeld("other")]
    const files = createFiles(one.remote)
    const { mirror } = await connect(files.service)
    const stop = (await fileOf(mirror)).watch()
    await rest()
    const before = [one.held.watched, other.held.watched]
    files.move(other.remote)
    await rest()
    const moved = [one.held.watched, other.held.watched]
    files.move(undefined)
    await rest()
    const away = [one.held.watched, other.held.watched]
    files.move(other.remote)
    await rest()
    const back = [one.held.watched, other.held.watched]
    stop()
    await rest()

    expect([before, moved, away, back]).toEqual([
      [1, 0],
      [0, 1],
      [0, 0],
      [0, 1],
    ])
    expect([one.held.watched, other.held.watched]).toEqual([0, 0])
  })

  it("is no longer watched once no link leads to its service", async () => {
    const { held, remote } = createHeld("one")
    const linked = new BehaviorSubject<AgenticService | null>(createFiles(remote).service)
    const root = createAgenticService({ name: "root", links: { files: link({ service: linked }) } })
    const { mirror } = await connect(root)
    const { files } = await firstValueFrom(mirror.links)
    if (files === undefined) throw new Error("there are no files")
    ;(await fileOf(files.service)).watch()
    await rest()
    const before = held.watched
    linked.next(null)
    await rest()

    expect([before, held.watched]).toEqual([1, 0])
  })

  it("is still watched after the service's identity has changed", async () => {
    const { held, remote } = createHeld("one")
    const thing = new BehaviorSubject("a")
    const { service } = createFiles(remote, { occupancy: { current: () => thing.value, changes: thing } })
    const { mirror } = await connect(service)
    ;(await fileOf(mirror)).watch()
    await rest()
    thing.next("b")
    await rest()

    expect([held.watched, thingOf(mirror)]).toEqual([1, "b"])
  })
})

describe("a state read over the wire", () => {
  const startReading = async () => {
    const { held, remote } = createHeld("one")
    const thing = new BehaviorSubject("a")
    const { service } = createFiles(remote, { occupancy: { current: () => thing.value, changes: thing } })
    const connected = await connect(service)
    const read = async (of?: string): Promise<unknown> => {
      const context = { signal: new AbortController().signal, ...(of !== undefined && { thing: of }) }
      return (await fileOf(connected.mirror)).read(context).catch((thrown: unknown) => Object(thrown).code)
    }
    return { ...connected, held, thing, read }
  }

  it("is read from the service that its reader found, and says from which", async () => {
    const { held, read } = await startReading()

    expect(await read("a")).toEqual([{ type: "resource", uri: "x:y", text: "one" }])
    expect(held.things).toEqual(["a"])
  })

  it("is not read if its reader found another service", async () => {
    const { held, read } = await startReading()

    expect([await read("b"), held.things]).toEqual(["not_available", []])
  })

  it("is not read if the identity changed meanwhile", async () => {
    const { held, thing, read, hold, release } = await startReading()
    hold("far")
    const reading = read()
    await endOfTask()
    thing.next("b")
    release("far")

    expect([await reading, held.things]).toEqual(["not_available", []])
  })
})
