import { Client } from "@modelcontextprotocol/client"
import type { Diagnostic } from "@x/mcp-adapter"
import { type AdapterSource, createMcpAdapter, type McpAdapter, type McpAdapterOptions } from "@x/mcp-adapter"
import { connectInMemory, type InMemoryOptions } from "@x/mcp-adapter/in-memory"
import { findOptionFault } from "@x/tool-schemas/json"
import { lastValueFrom, timeout } from "rxjs"
import { type Answer, type Caller, type CallOptions, createCaller } from "./calls.js"
import { createPerson } from "./person.js"
import { listTools, look, readState, type SeenByModel } from "./seen.js"
import { TestingError } from "./testing-error.js"
import { startWaiting, type Waiting } from "./waiting.js"

/** How a test client is made; it takes what a server in memory takes as well, such as `principal` and `exposure`. */
export interface TestClientOptions extends Omit<InMemoryOptions, "maxListens"> {
  /** Which era the client speaks. Default `modern`, the revision 2026-07-28; `legacy` is 2025-11-25. */
  readonly era?: "modern" | "legacy"
  /** How long `whenListed` and its like wait, in milliseconds. Default 4,000: less than a test runner's own limit. */
  readonly timeoutMs?: number
  /** Options of the adapter, such as `limits` or `allow`; none where an adapter is given. Default: none. */
  readonly adapter?: McpAdapterOptions
}

/** A real MCP client of a service, in the same process, for one test. It subscribes to each state from the start. */
export interface TestClient extends Waiting {
  /** The era it speaks: `modern` from 2026-07-28, `legacy` up to 2025-11-25. */
  readonly era: "modern" | "legacy"
  /** What serves the service; give it to `createTestClient` for a second client of the same, such as another user's. */
  readonly adapter: McpAdapter
  /** The client of the MCP SDK, for what is not here. */
  readonly client: Client
  /**
   * What an operator would have been told so far: members that are left out, schemas that cannot be published, actions that
   * threw. Where nobody has looked when the client is closed, they are printed.
   */
  readonly diagnostics: readonly Diagnostic[]
  /** What the model sees now: plain data, the same for the same application, so that it can be a snapshot. */
  look(): Promise<SeenByModel>
  /** The names of the tools that are listed now, the adapter's own such as `get_state` among them. */
  list(): Promise<readonly string[]>
  /**
   * Reads a state as a client does.
   *
   * @param state - Its path and key, such as `items` or `open/title`, or its URI.
   * @returns What its JSON stands for; a text where its media type is another, and bytes where it has bytes.
   * @throws TestingError `unknown_state`, with those that there are.
   */
  read(state: string): Promise<unknown>
  /**
   * Calls a tool. An action that fails is an answer, too.
   *
   * @throws TestingError `unknown_tool`, `unanswered` where the person was asked more than there are answers, `unasked`
   * where there are more answers than questions.
   */
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>
  /**
   * Disconnects, closes the adapter that was made for this client, and makes sure that nothing is left open: no call that
   * was not waited for, no action that does not stop, no subscription, timer, stream or view. Idempotent. To be called at
   * the end of each test.
   *
   * @throws TestingError `left_open`, with what is.
   */
  close(): Promise<void>
}

/**
 * Connects a real MCP client to a service, in the same process. Works in any test runner: it only returns and throws.
 *
 * @param source - A service, own or foreign; a function that gives each principal one; or an adapter, which is not closed
 * with the client, so that several clients can share it.
 * @throws TestingError `invalid_option`; AdapterError as `createMcpAdapter` and `connectInMemory` do.
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createTestClient } from "@x/testing"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const client = await createTestClient(createAgenticService({ name: "door", actions: { greet } }))
 * const { outcome } = await client.call("greet")
 * console.log(outcome) // { ok: true, value: { text: 'hello' } }
 * await client.close()
 * ```
 */
export async function createTestClient(
  source: AdapterSource | McpAdapter,
  options: TestClientOptions = {},
): Promise<TestClient> {
  const { era = "modern", timeoutMs = 4_000, adapter: adapterOptions, ...served } = options
  const shared = isAdapter(source)
  expectOptions({ era, timeoutMs, adapter: adapterOptions }, shared)
  const adapter = shared ? source : createMcpAdapter(source, adapterOptions)
  const client = new Client(
    { name: "test", version: "0.0.0" },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } },
  )
  const common = { client, adapter, principal: options.principal }
  const caller = createCaller({ ...common, person: createPerson(client) })
  try {
    const journal = follow(adapter, caller)
    await client.connect(connectInMemory(adapter, { ...served, maxListens: Number.POSITIVE_INFINITY }))
    const waiting = await startWaiting({ ...common, timeoutMs })
    return assemble({ ...common, era, shared, caller, waiting, journal })
  } catch (thrown) {
    await client.close().catch(() => undefined)
    if (!shared) adapter.close()
    throw thrown
  }
}

function isAdapter(source: AdapterSource | McpAdapter): source is McpAdapter {
  return "core" in source && "ledger" in source && "events" in source
}

function expectOptions(options: Readonly<Record<string, unknown>>, shared: boolean): void {
  const fault = findOptionFault(options, {
    era: ["modern", "legacy"],
    timeoutMs: { from: 0 },
    adapter: "object",
  })
  if (fault !== undefined) throw new TestingError("invalid_option", fault)
  if (shared && options["adapter"] !== undefined)
    throw new TestingError("invalid_option", 'option "adapter" is for an adapter that is made: this one was given')
}

/** What happened in an adapter, from its start. */
function follow(adapter: McpAdapter, caller: Caller) {
  const diagnostics: Diagnostic[] = []
  const heard = adapter.events.subscribe((event) => {
    caller.note(event)
    if (event.type === "diagnostic") diagnostics.push(event.diagnostic)
  })
  // Those that came at once were told before anybody could listen, and so they are printed already.
  let printed = diagnostics.length
  return {
    all: () => {
      printed = Number.POSITIVE_INFINITY
      return diagnostics
    },
    close() {
      heard.unsubscribe()
      for (const { code, message } of diagnostics.slice(printed)) {
        // biome-ignore lint/suspicious/noConsole: whoever runs the tests has to hear what is left out, or it is never mended
        console.warn(`@x/testing: ${message} (${code})`)
      }
    },
  }
}

/** What a test client is made of. */
interface Parts {
  readonly era: "modern" | "legacy"
  readonly client: Client
  readonly adapter: McpAdapter
  /** Whether the adapter was given. */
  readonly shared: boolean
  readonly caller: Caller
  readonly waiting: Waiting & { close(): void }
  readonly journal: ReturnType<typeof follow>
}

function assemble(parts: Parts): TestClient {
  const { era, client, adapter, caller, waiting, journal } = parts
  let closed: Promise<void> | undefined
  return {
    era,
    client,
    adapter,
    get diagnostics() {
      return journal.all()
    },
    look: () => look(client),
    list: async () => (await listTools(client)).map(({ name }) => name),
    read: (state) => readState(client, state),
    call: caller.call,
    whenListed: waiting.whenListed,
    whenGone: waiting.whenGone,
    whenTold: waiting.whenTold,
    close() {
      closed ??= closeAll(parts)
      return closed
    },
  }
}

async function closeAll({ client, adapter, shared, caller, waiting, journal }: Parts): Promise<void> {
  const unanswered = caller.open().map((name) => `the call of "${name}" was not waited for`)
  waiting.close()
  await client.close()
  const left = shared ? [] : await closeAdapter(adapter)
  journal.close()
  const open = [...unanswered, ...left]
  if (open.length > 0) throw new TestingError("left_open", `the test has left something open: ${open.join("; ")}`)
}

/** Closes an adapter, and says what it holds when all its calls are answered. */
async function closeAdapter(adapter: McpAdapter): Promise<readonly string[]> {
  const ended = lastValueFrom(adapter.events.pipe(timeout(CLOSING_MS)), { defaultValue: undefined })
  adapter.close()
  await ended.catch(() => undefined)
  const held = Object.entries(adapter.ledger.counts()).filter(([, count]) => count > 0)
  return held.map(([kind, count]) => (kind === "stuck" ? `${count} actions do not stop` : `${kind}: ${count}`))
}

/** Milliseconds for actions that were told to stop; what takes longer is called left open. */
const CLOSING_MS = 3_000
