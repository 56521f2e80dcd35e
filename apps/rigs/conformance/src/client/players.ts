import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { fromMcpClient, fromMcpServer, mcpExtension, type Upstream } from "@x/mcp-upstream"
import { filter, firstValueFrom, merge, timer } from "rxjs"
import type { SignIn } from "./sign-in.js"

/** A scenario's server, with the way to connect. */
export interface Encounter {
  /** The endpoint of the scenario's server. */
  readonly url: URL
  /** Whether the scenario requires revision 2026-07-28 or later. */
  readonly modern: boolean
  /** The sign-in of the client. Absent if the scenario needs none. */
  readonly signIn?: SignIn | undefined
}

/** A client under test that has met its server. */
export interface Player {
  /** The client under test, or one that reaches the server through it. */
  readonly client: Client
  /** Runs `act`, and again if it required a sign-in. */
  attempt<Result>(act: (client: Client) => Promise<Result>): Promise<Result>
  /** Closes all connections. */
  close(): Promise<void>
}

/** The clients under test, by the name of their column. */
export const players: Readonly<Record<string, (encounter: Encounter) => Promise<Player>>> = {
  sdk: playSdk,
  fromMcpServer: playUpstream,
  fromMcpClient: playWrapped,
}

/** Creates a client that accepts every elicitation with its default values. */
function createClient(modern: boolean): Client {
  const client = new Client(
    { name: "conformance", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      ...(modern && { versionNegotiation: { mode: "auto" } }),
    },
  )
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: {} }))
  return client
}

/** Plays with the SDK's client as documented, finishing a sign-in on the transport that requested it. */
async function playSdk({ url, modern, signIn }: Encounter): Promise<Player & { finish(): Promise<boolean> }> {
  const open = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(url, signIn && { authProvider: signIn.provider })
  let client = createClient(modern)
  let transport = open()
  const finish = async (): Promise<boolean> => {
    const callback = signIn?.takeCallback()
    if (callback !== undefined) await transport.finishAuth(callback)
    return callback !== undefined
  }
  const orThrow = async (cause: unknown): Promise<void> => {
    if (!(cause instanceof UnauthorizedError && (await finish()))) throw cause
  }
  const connect = (): Promise<void> => client.connect(transport)
  await connect().catch(async (cause: unknown) => {
    await orThrow(rootOf(cause))
    client = createClient(modern)
    transport = open()
    await connect()
  })
  return {
    client,
    finish,
    attempt: (act) =>
      act(client).catch(async (cause: unknown) => {
        await orThrow(cause)
        return act(client)
      }),
    async close() {
      await client.close()
    },
  }
}

/** Returns the error to sign in for: a failed version probe wraps it as its cause. */
function rootOf(cause: unknown): unknown {
  return cause instanceof Error && cause.cause instanceof UnauthorizedError ? cause.cause : cause
}

/** Plays with `fromMcpServer`. It signs in on every opened page, and a second client reaches the server through it. */
async function playUpstream({ url, modern, signIn }: Encounter): Promise<Player> {
  const upstream = fromMcpServer(
    { url: url.href, ...(signIn && { auth: signIn.provider }) },
    { era: modern ? "auto" : "legacy", plainNames: true },
  )
  const visits = signIn && followPages(upstream, signIn)
  const through = await playThrough(upstream, modern, visits?.settled)
  return {
    ...through,
    async attempt(act) {
      const before = visits?.count()
      const result = await through.attempt(act)
      await visits?.settled()
      return visits?.count() === before ? result : through.attempt(act)
    },
  }
}

/** Signs in on every page as soon as it opens. */
function followPages(upstream: Upstream, signIn: SignIn) {
  let count = 0
  let visiting: Promise<unknown> = Promise.resolve()
  signIn.opened(() => {
    count += 1
    const callback = signIn.takeCallback()
    if (callback === undefined) return
    // A real browser returns in a later task.
    visiting = new Promise((resolve) => setTimeout(resolve, 0))
      .then(() => upstream.finishSignIn(callback))
      .catch((cause: unknown) => console.error(cause))
  })
  return {
    count: () => count,
    /** Settles once all pages are done and the server is connected or down. */
    async settled(): Promise<void> {
      for (let before = -1; before !== count; ) {
        before = count
        await visiting
        await isSettled(upstream)
      }
    },
  }
}

/** Settles once the server's tools are listed, the server is down, or a timeout suggests that it has none. */
async function isSettled(upstream: Upstream): Promise<void> {
  const shown = upstream.actions.pipe(filter((actions) => Object.keys(actions).length > 0))
  const down = upstream.status.pipe(filter(({ state }) => state === "down"))
  await firstValueFrom(merge(shown, down, timer(5_000)))
}

async function playThrough(upstream: Upstream, modern: boolean, settled = () => isSettled(upstream)): Promise<Player> {
  const adapter = createMcpAdapter(upstream, {
    limits: { readyWaitMs: 20_000 },
    publish: { profile: "verbatim" },
  })
  const extension = mcpExtension(upstream)
  await settled()
  const client = createClient(modern)
  // Exposes the server's members only, without tools of ours.
  const plain = {
    tools: { runAction: false, listLinks: false },
    states: "resources",
    results: { catchUp: false },
  } as const
  await client.connect(connectInMemory(adapter, { extension, ...plain }))
  return {
    client,
    attempt: (act) => act(client),
    async close() {
      await client.close()
      extension.close()
      adapter.close()
      await upstream.close()
    },
  }
}

/** Plays with `fromMcpClient` on an SDK client that its owner connects and signs in. */
async function playWrapped(encounter: Encounter): Promise<Player> {
  const { signIn, modern } = encounter
  const sdk = await playSdk(encounter)
  const upstream = fromMcpClient(sdk.client, { plainNames: true })
  const through = await playThrough(upstream, modern, async () => {
    await isSettled(upstream)
    if (!(await sdk.finish())) return
    upstream.reconnect()
    await isSettled(upstream)
  })
  return {
    ...through,
    async attempt(act) {
      const result = await through.attempt(act)
      return signIn !== undefined && (await sdk.finish()) ? through.attempt(act) : result
    },
    async close() {
      await through.close()
      await sdk.close()
    },
  }
}
