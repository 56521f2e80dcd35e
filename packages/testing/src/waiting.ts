import type { Client } from "@modelcontextprotocol/client"
import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "@x/mcp-adapter"
import { listStates, listTools, readState, type SeenTool, toSeenTool } from "./seen.js"
import { TestingError } from "./testing-error.js"

/** Waits for notifications of a server. */
export interface Waiting {
  /**
   * Waits until a tool is listed and the client was notified, unless it was listed from the start. This is what a host knows
   * that lists again after notices.
   *
   * @throws TestingError `timed_out`, which lists the tools and says why this one is missing; `closed`.
   */
  whenListed(tool: string): Promise<SeenTool>
  /** Waits until a tool is no longer listed and the client was notified. Throws like {@link Waiting.whenListed}. */
  whenGone(tool: string): Promise<void>
  /**
   * Waits until the client is notified of a state's new value or of a new state, and reads it. Each notice counts once: an
   * earlier one counts, too, unless an earlier `whenTold` used it.
   *
   * @param state - Its path and key, such as `items` or `open/title`, or its URI. It need not exist yet.
   * @param holds - Returns whether a value is the expected one. Default: any value.
   * @returns The value, as `read` returns it.
   * @throws TestingError `timed_out`, which names the state's current value; `closed`.
   */
  whenTold(state: string, holds?: (value: unknown) => boolean): Promise<unknown>
}

/** The dependencies of waiting. */
interface WaitingOptions {
  readonly client: Client
  readonly adapter: McpAdapter
  readonly principal: Principal | undefined
  readonly timeoutMs: number
}

/** Starts waiting on a connected client. It lists again after each list notice, and subscribes to every state. */
export async function startWaiting(options: WaitingOptions): Promise<Waiting & { close(): void }> {
  const { client, timeoutMs } = options
  const line = createLine(timeoutMs)
  const known = createKnown(client)
  client.setNotificationHandler("notifications/tools/list_changed", () => line.take(known.listTools))
  client.setNotificationHandler("notifications/resources/list_changed", () => line.take(known.listStates))
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    line.take(async () => known.note(params.uri)),
  )
  if (client.getProtocolEra() === "modern") {
    const { resources } = client.getServerCapabilities() ?? {}
    await client.listen({ toolsListChanged: true, ...(resources && { resourcesListChanged: true }) })
  }
  await known.listTools()
  await known.listStates()
  known.forget()

  /** Lists again, because the last list may be older than the application's latest change. */
  const find = async (name: string) => (await listTools(client)).find((tool) => tool.name === name)
  return {
    whenListed: (name) =>
      line.until(
        async () => {
          const tool = known.has(name) ? await find(name) : undefined
          return tool && toSeenTool(tool)
        },
        () => explainMissing(options, name),
      ),
    async whenGone(name) {
      const isGone = async () => (!known.has(name) && (await find(name)) === undefined) || undefined
      await line.until(isGone, async () => `"${name}" is still listed, or the client was not notified of its removal`)
    },
    async whenTold(state, holds = () => true) {
      const look = async () => {
        if (!known.take(state)) return undefined
        const value = await readState(client, state)
        return holds(value) ? { value } : undefined
      }
      return (await line.until(look, () => explainUntold(client, state))).value
    },
    close: line.close,
  }
}

/** Tracks the lists that a client requested after notices, and the states it was notified of. */
function createKnown(client: Client) {
  let tools: ReadonlySet<string> = new Set()
  let uris: ReadonlyMap<string, string> = new Map()
  const subscribed = new Set<string>()
  const told = new Set<string>()
  const subscribe = async (added: readonly string[]): Promise<void> => {
    for (const uri of added) subscribed.add(uri)
    if (added.length === 0) return
    if (client.getProtocolEra() === "modern") await client.listen({ resourceSubscriptions: [...added] })
    else await Promise.all(added.map((uri) => client.subscribeResource({ uri })))
  }
  return {
    has: (name: string) => tools.has(name),
    async listTools() {
      tools = new Set((await listTools(client)).map(({ name }) => name))
    },
    async listStates() {
      const listed = await listStates(client)
      const before = new Set(uris.values())
      uris = new Map(listed.map(({ name, uri }) => [name, uri]))
      const appeared = [...uris.values()].filter((uri) => !before.has(uri))
      await subscribe(appeared.filter((uri) => !subscribed.has(uri)))
      // Only now, so that waiting code is notified of every later value.
      for (const uri of appeared) told.add(uri)
    },
    note: (uri: string) => void told.add(uri),
    take: (state: string) => told.delete(uris.get(state) ?? state),
    forget: () => told.clear(),
  }
}

async function explainMissing({ client, adapter, principal }: WaitingOptions, name: string): Promise<string> {
  const { view, release } = adapter.core.open(principal)
  const found = view.resolve(name)
  release()
  const names = (await listTools(client)).map((tool) => tool.name).join(", ") || "none"
  if (found.status === "available") return `"${name}" is available, but the client was not notified`
  const reason = found.status === "unknown" ? "no such action exists" : (found.reason ?? "it is unavailable now")
  return `"${name}" was not listed: ${reason}; listed are: ${names}`
}

async function explainUntold(client: Client, state: string): Promise<string> {
  const value = await readState(client, state).catch((thrown: unknown) => TestingError.from(thrown))
  const now = value instanceof TestingError ? value.message : `its value is ${JSON.stringify(value)}`
  return `the client was not notified of the expected value of state "${state}": ${now}`
}

/** Processes notices one after the other. All waiting calls check again after each. */
function createLine(timeoutMs: number) {
  const waiting = new Map<() => void, (error: TestingError) => void>()
  let closed = false
  let last = Promise.resolve()
  return {
    take(read: () => Promise<void>): void {
      const taken = last.then(() => (closed ? undefined : read()))
      // If a list cannot be read, for example after a disconnect, waiting calls time out.
      last = taken
        .catch(() => undefined)
        .then(() => {
          for (const look of [...waiting.keys()]) look()
        })
    },
    until<Found>(look: () => Promise<Found | undefined>, explain: () => Promise<string>): Promise<Found> {
      if (closed) return Promise.reject(new TestingError("the test client is closed", { code: "closed" }))
      return new Promise((resolve, reject) => {
        const lookInTurn = inTurn(async () => {
          const found = await look()
          if (found !== undefined) end(() => resolve(found))
        })
        const start = () => void lookInTurn().catch((thrown: unknown) => end(() => reject(thrown)))
        const end = (settle: () => void): void => {
          waiting.delete(start)
          clearTimeout(timer)
          settle()
        }
        const timeout = async (): Promise<void> => {
          const why = await explain()
          end(() => reject(new TestingError(`${why} (waited ${timeoutMs} ms)`, { code: "timed_out" })))
        }
        const timer = setTimeout(() => void timeout().catch((thrown: unknown) => end(() => reject(thrown))), timeoutMs)
        waiting.set(start, (error) => end(() => reject(error)))
        start()
      })
    },
    close(): void {
      closed = true
      for (const end of [...waiting.values()])
        end(new TestingError("the test client was closed while waiting", { code: "closed" }))
    },
  }
}

/** Runs a function one at a time: each call appends another run. */
function inTurn(run: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(run)
    return last
  }
}
