import { Client } from "@modelcontextprotocol/client"
import { cleanLine, findOptionFault } from "@x/base"
import type { Diagnostic } from "@x/mcp-adapter"
import { type AdapterSource, createMcpAdapter, type McpAdapter, type McpAdapterOptions } from "@x/mcp-adapter"
import { connectInMemory, type InMemoryOptions } from "@x/mcp-adapter/in-memory"
import { lastValueFrom, timeout } from "rxjs"
import { type Answer, type Caller, type CallOptions, createCaller } from "./calls.js"
import { createPerson } from "./person.js"
import { listTools, look, readState, type SeenByModel } from "./seen.js"
import { TestingError } from "./testing-error.js"
import { startWaiting, type Waiting } from "./waiting.js"

/** Options of a test client, including those of an in-memory server, such as `principal` and `exposure`. */
export interface TestClientOptions extends Omit<InMemoryOptions, "maxListens"> {
  /** The protocol era of the client. Default `modern`, the revision 2026-07-28; `legacy` is 2025-11-25. */
  readonly era?: "modern" | "legacy"
  /** How long `whenListed` and similar methods wait, in milliseconds. Default 4,000: less than a test runner's own limit. */
  readonly timeoutMs?: number
  /** Options of the adapter, such as `limits` or `allow`; invalid if you pass an adapter. Default: none. */
  readonly adapter?: McpAdapterOptions
}

/** A real MCP client of a service, in the same process, for one test. It subscribes to every state from the start. */
export interface TestClient extends Waiting {
  /** The protocol era: `modern` from 2026-07-28, `legacy` up to 2025-11-25. */
  readonly era: "modern" | "legacy"
  /** The adapter. Pass it to `createTestClient` to get a second client of the same service, such as another user's. */
  readonly adapter: McpAdapter
  /** The MCP SDK's client, for everything else. */
  readonly client: Client
  /**
   * The diagnostics for operators so far: left-out members, schemas that cannot be published, errors that actions threw. If you
   * never read them, `close` prints them.
   */
  readonly diagnostics: readonly Diagnostic[]
  /** Returns what the model sees now as plain data, equal for equal applications, so that you can use it as a snapshot. */
  look(): Promise<SeenByModel>
  /** Returns the names of the listed tools, including built-in ones such as `get_state`. */
  list(): Promise<readonly string[]>
  /**
   * Reads a state as a client does.
   *
   * @param state - Its path and key, such as `items` or `open/title`, or its URI.
   * @returns The parsed JSON; a string for other media types, and bytes for binary content.
   * @throws TestingError `unknown_state`, which names the listed states.
   */
  read(state: string): Promise<unknown>
  /**
   * Calls a tool. A failed action is an answer, too.
   *
   * @throws TestingError `unknown_tool`; `unanswered` if the person was asked more questions than there are answers; `unasked`
   * if there are more answers than questions.
   */
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>
  /**
   * Disconnects, closes the client's own adapter, and checks that nothing is left open: no unawaited call, no action that does
   * not stop, no subscription, timer, stream or view. Idempotent. Call it at the end of each test.
   *
   * @throws TestingError `left_open`, which names what is left open.
   */
  close(): Promise<void>
}

/**
 * Connects a real MCP client to a service in the same process. It works in any test runner, because it only returns and throws.
 *
 * @param source - A service of any kind; a function that returns one per principal; or an adapter, which stays open when the
 *   client is closed, so that several clients can share it.
 * @throws TestingError `invalid_option`; AdapterError like `createMcpAdapter` and `connectInMemory`.
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
  if (fault !== undefined) throw new TestingError(fault, { code: "invalid_option" })
  if (shared && options["adapter"] !== undefined)
    throw new TestingError(
      'option "adapter" has no effect on an adapter that you pass: set its options in createMcpAdapter',
      { code: "invalid_option" },
    )
}

/** Collects an adapter's diagnostics from its start. */
function follow(adapter: McpAdapter, caller: Caller) {
  const diagnostics: Diagnostic[] = []
  const heard = adapter.events.subscribe((event) => {
    caller.note(event)
    if (event.type === "diagnostic") diagnostics.push(event.diagnostic)
  })
  // Earlier diagnostics were emitted before anyone could listen, and were printed then.
  let printed = diagnostics.length
  return {
    all: () => {
      printed = Number.POSITIVE_INFINITY
      return diagnostics
    },
    close() {
      heard.unsubscribe()
      for (const { code, message } of diagnostics.slice(printed)) {
        // biome-ignore lint/suspicious/noConsole: otherwise left-out members stay unnoticed
        console.warn(cleanLine(`@x/testing: ${message} (${code})`))
      }
    },
  }
}

/** The parts of a test client. */
interface Parts {
  readonly era: "modern" | "legacy"
  readonly client: Client
  readonly adapter: McpAdapter
  /** Whether the adapter was passed in. */
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
  if (open.length > 0)
    throw new TestingError(`the test has left something open: ${open.join("; ")}`, { code: "left_open" })
}

/** Closes an adapter and returns what it still holds after all calls were answered. */
async function closeAdapter(adapter: McpAdapter): Promise<readonly string[]> {
  const ended = lastValueFrom(adapter.events.pipe(timeout(CLOSING_MS)), { defaultValue: undefined })
  adapter.close()
  await ended.catch(() => undefined)
  const held = Object.entries(adapter.ledger.counts()).filter(([, count]) => count > 0)
  return held.map(([kind, count]) => (kind === "stuck" ? `${count} actions do not stop` : `${kind}: ${count}`))
}

/** How long aborted actions may take to stop, in milliseconds. Slower ones count as left open. */
const CLOSING_MS = 3_000
