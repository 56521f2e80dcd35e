import type { Client } from "@modelcontextprotocol/client"
import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "@x/mcp-adapter"
import { listStates, listTools, readState, type SeenTool, toSeenTool } from "./seen.js"
import { TestingError } from "./testing-error.js"

/** Waits for what a server says unasked. */
export interface Waiting {
  /**
   * Waits until a tool is listed, and the client was told so unless it knew from the start: what a host knows that lists
   * again on notices.
   *
   * @throws TestingError `timed_out`, with what is listed and why this one is not; `closed`.
   */
  whenListed(tool: string): Promise<SeenTool>
  /** Waits until a tool is no longer listed, and the client was told so. Throws as {@link Waiting.whenListed} does. */
  whenGone(tool: string): Promise<void>
  /**
   * Waits until the client is told that a state has another value, or has appeared, and reads it. Each notice is waited for
   * once: one that came before counts, unless an earlier `whenTold` took it.
   *
   * @param state - Its path and key, such as `items` or `open/title`, or its URI. It need not be there yet.
   * @param holds - Which value is waited for. Default: whichever comes.
   * @returns The value, as `read` does.
   * @throws TestingError `timed_out`, with the value that the state has; `closed`.
   */
  whenTold(state: string, holds?: (value: unknown) => boolean): Promise<unknown>
}

/** What waiting stands on. */
interface WaitingOptions {
  readonly client: Client
  readonly adapter: McpAdapter
  readonly principal: Principal | undefined
  readonly timeoutMs: number
}

/** Waits at a client that is connected. It lists again when it is told to, and subscribes to every state there is. */
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

  /** Whether it is listed; asked anew, because the last list may be older than what the application has done since. */
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
      await line.until(isGone, async () => `"${name}" is still listed, or the client was not told that it went`)
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

/** What a client knows from the lists that it was told to get, and which states it was told of. */
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
      // Only now, so that whoever waited for it hears of every later value.
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
  if (found.status === "available") return `"${name}" is there, and the client was not told`
  const reason = found.status === "unknown" ? "there is no such action" : (found.reason ?? "it cannot be called now")
  return `"${name}" was not listed: ${reason}; listed are: ${names}`
}

async function explainUntold(client: Client, state: string): Promise<string> {
  const value = await readState(client, state).catch((thrown: unknown) => TestingError.from(thrown))
  const now = value instanceof TestingError ? value.message : `its value is ${JSON.stringify(value)}`
  return `the client was not told what was waited for of the state "${state}": ${now}`
}

/** Takes what comes in, a notice after the other, and lets everybody who waits look after each. */
function createLine(timeoutMs: number) {
  const waiting = new Map<() => void, (error: TestingError) => void>()
  let closed = false
  let last = Promise.resolve()
  return {
    take(read: () => Promise<void>): void {
      const taken = last.then(() => (closed ? undefined : read()))
      // A list that cannot be read, because the connection has ended for one, is waited for in vain.
      last = taken
        .catch(() => undefined)
        .then(() => {
          for (const look of [...waiting.keys()]) look()
        })
    },
    until<Found>(look: () => Promise<Found | undefined>, explain: () => Promise<string>): Promise<Found> {
      if (closed) return Promise.reject(new TestingError("closed", "the test client is closed"))
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
          end(() => reject(new TestingError("timed_out", `${why} (waited ${timeoutMs} ms)`)))
        }
        const timer = setTimeout(() => void timeout().catch((thrown: unknown) => end(() => reject(thrown))), timeoutMs)
        waiting.set(start, (error) => end(() => reject(error)))
        start()
      })
    },
    close(): void {
      closed = true
      for (const end of [...waiting.values()]) end(new TestingError("closed", "the test client was closed meanwhile"))
    },
  }
}

/** Runs one at a time: whoever comes meanwhile has it run once more. */
function inTurn(run: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(run)
    return last
  }
}
