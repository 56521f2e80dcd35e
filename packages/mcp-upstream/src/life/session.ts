import {
  Client,
  OAuthError,
  RegistrationRejectedError,
  SdkHttpError,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client"
import { createDeferred } from "@x/mcp-adapter/binding"
import { UpstreamError } from "../upstream-error.js"
import type { Counted } from "./holdings.js"
import { followOrigins, type Origins } from "./origins.js"

/** A connection to a server, for as long as it lasts. */
export interface Session {
  /** The SDK's client. */
  readonly client: Client
  /** The era that was agreed upon. */
  readonly era: "legacy" | "modern"
  /** Tells which request a message of the server belongs to. */
  readonly origins: Origins
  /** Settles with the reason once the connection is lost or closed. */
  readonly lost: Promise<string>
  /** Whether it is lost or closed; said at once, before `lost` is heard. */
  isOver(): boolean
  /** Gives the connection up: it does not work any more. */
  fail(reason: string): void
  /** Ends it; settles once all of it is gone. */
  close(): Promise<void>
}

/** How a server is reached. */
export interface Dial {
  /** Names the way in messages; no secret in it. */
  readonly label: string
  /** Makes the transport of one attempt. Whatever the attempt opens ends with the transport's `close`. */
  open(ears: DialEars): Transport | Promise<Transport>
  /** Whether it is a process of ours that can crash in a loop. */
  readonly child: boolean
  /** A last try where the transport is not understood, such as an older one. */
  readonly fallback?: (cause: unknown) => Transport | undefined
}

/** What a way to a server may tell. */
export interface DialEars {
  /** A process wrote a line to its standard error. */
  stderr(line: string): void
  /** A process was started. @returns Notes its end. */
  child(): () => void
  /** It ended, and why. */
  ended(reason: string): void
}

/** How a session is opened. */
export interface OpenOptions {
  /** Which revisions are tried. */
  readonly era: "auto" | "legacy" | "modern"
  /** How long it may take, in milliseconds. */
  readonly connectMs: number
  /** How often it is tried, in milliseconds; 0 for never. */
  readonly heartbeatMs: number
  /** Counts what is open. */
  readonly holdings: Counted
  /** Hears what the way tells. */
  readonly ears: DialEars
  /** Why the way to the server ended, where that told. */
  why?(): string | undefined
  /** Readies the client before it is connected. */
  prepare(client: Client): void
}

/** Connects once. Rejects with an {@link UpstreamError} when that fails; nothing is left open then. */
export async function openSession(dial: Dial, options: OpenOptions, signal: AbortSignal): Promise<Session> {
  const over = options.holdings.open("connections")
  try {
    const transport = await dial.open(options.ears)
    return await connect(transport, options, { signal, over }).catch((cause: unknown) => {
      const other = dial.fallback?.(cause)
      if (other === undefined) throw cause
      return connect(other, options, { signal, over })
    })
  } catch (thrown) {
    over()
    throw toUnreachable(thrown, options.why?.())
  }
}

function toUnreachable(cause: unknown, why: string | undefined): UpstreamError {
  return new UpstreamError("unreachable", why ?? reasonOf(cause), { cause })
}

async function connect(
  transport: Transport,
  options: OpenOptions,
  { signal, over }: { readonly signal: AbortSignal; readonly over: () => void },
): Promise<Session> {
  const { era, connectMs } = options
  const client = new Client(
    { name: "agentic-gateway", version: "0.0.0" },
    {
      capabilities: { elicitation: { form: {} } },
      inputRequired: { autoFulfill: false },
      listMaxPages: 0,
      ...(era !== "legacy" && {
        versionNegotiation: { mode: toMode(era), probe: { timeoutMs: Math.min(connectMs, 10_000) } },
      }),
    },
  )
  options.prepare(client)
  const aborted = createDeferred<never>()
  const stop = (): void => aborted.reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })
  try {
    // The client hears of the signal only after its probe of the era, which may take 10 s.
    await Promise.race([client.connect(transport, { timeout: connectMs, signal }), aborted.promise])
  } catch (thrown) {
    await client.close().catch(() => undefined)
    // Before there is a session, the client does not have the transport yet.
    await transport.close().catch(() => undefined)
    throw thrown
  } finally {
    signal.removeEventListener("abort", stop)
  }
  return follow(client, options, over)
}

function toMode(era: "auto" | "modern"): "auto" | { pin: string } {
  return era === "auto" ? "auto" : { pin: "2026-07-28" }
}

/** A session of a client that is connected; the end of the one is the end of the other. */
export function follow(
  client: Client,
  { heartbeatMs, holdings, why }: Pick<OpenOptions, "heartbeatMs" | "holdings" | "why">,
  over: () => void,
): Session {
  const era = client.getProtocolEra() === "modern" ? "modern" : "legacy"
  const origins = followOrigins(client)
  const { promise: lost, resolve } = createDeferred<string>()
  let ended = false
  let cancelBeat = (): void => {}
  const fail = (reason: string): void => {
    if (ended) return
    ended = true
    cancelBeat()
    over()
    resolve(reason)
  }
  const ask = (): Promise<unknown> =>
    era === "modern" ? client.discover({ timeout: heartbeatMs }) : client.ping({ timeout: heartbeatMs })
  const beat = (): void => {
    if (ended || heartbeatMs <= 0) return
    cancelBeat = holdings.after(heartbeatMs, () => {
      ask().then(beat, (cause: unknown) => (isAnswer(cause) ? beat() : fail(`it did not answer: ${reasonOf(cause)}`)))
    })
  }
  const before = client.onclose
  client.onclose = () => {
    before?.()
    fail(why?.() ?? "the connection ended")
  }
  beat()
  return {
    client,
    era,
    origins,
    lost,
    isOver: () => ended,
    fail,
    async close() {
      fail("it was closed")
      await client.close().catch(() => undefined)
    },
  }
}

/** A server that refuses a ping is there. */
function isAnswer(cause: unknown): boolean {
  return (
    typeof cause === "object" &&
    cause !== null &&
    "code" in cause &&
    typeof cause.code === "number" &&
    !(cause instanceof SdkHttpError)
  )
}

/** Whether an error of a request says that the connection itself is gone. */
export function isLoss(cause: unknown): boolean {
  if (cause instanceof SdkHttpError) return [404, 502, 503, 504].includes(cause.status ?? 0)
  return (
    cause instanceof TypeError || (cause instanceof Error && /not connected|connection closed/i.test(cause.message))
  )
}

/** Whether nothing can have run: the server did not know the session. */
export function isUnknownSession(cause: unknown): boolean {
  return cause instanceof SdkHttpError && cause.status === 404
}

/** What went wrong, in words: the last of its causes says most. */
export function reasonOf(cause: unknown): string {
  const chain = [...causesOf(cause)]
  const unauthorized = chain.find(isUnauthorized)
  if (unauthorized !== undefined) return unauthorized.message
  const status = chain.map(statusOf).find((found) => found !== undefined)
  if (status === 401) return "it wants other credentials (401): check its headers or its sign-in"
  if (status === 403) return "it refuses these credentials (403)"
  // It has been put into words already.
  if (cause instanceof UpstreamError) return cause.message
  const words = chain.map(wordsOf).filter((each) => each !== "")
  const [first = "it went wrong", last = first] = [words[0], words.at(-1)]
  return first.includes(last) ? first : `${first}: ${last}`.slice(0, 500)
}

/**
 * Returns what to do about a refusal that another attempt would not change: a sign-in that is missing, credentials or a client
 * that the server does not take. `undefined` for anything else.
 */
export function remedyOf(cause: unknown): string | undefined {
  const chain = [...causesOf(cause)]
  const unauthorized = chain.find(isUnauthorized)
  if (unauthorized !== undefined) return unauthorized.remedy ?? "finish its sign-in, then reconnect"
  const isRefused = chain.some((each) => {
    const status = statusOf(each)
    return status === 401 || status === 403 || each instanceof RegistrationRejectedError || isFinal(each)
  })
  return isRefused ? "mend its headers or finish its sign-in, then reconnect or reload" : undefined
}

/** The OAuth errors that the same client gets again. */
const FINAL: readonly string[] = ["invalid_client", "unauthorized_client", "access_denied", "invalid_grant"]

function isFinal(cause: unknown): boolean {
  return cause instanceof OAuthError && FINAL.includes(cause.code)
}

function isUnauthorized(cause: unknown): cause is UpstreamError {
  return cause instanceof UpstreamError && cause.code === "unauthorized"
}

function* causesOf(cause: unknown, depth = 0): Iterable<unknown> {
  yield cause
  if (cause instanceof Error && cause.cause !== undefined && depth < 10) yield* causesOf(cause.cause, depth + 1)
}

/** The first line of an error's message; its code where it has none, as errors of several addresses do. */
function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const [line = ""] = cause.message.replace(/^Version negotiation (probe )?failed: /, "").split("\n")
  return line || ("code" in cause ? String(cause.code) : "")
}

/** The HTTP status that an error of the SDK stands for. */
export function statusOf(cause: unknown): number | undefined {
  if (cause instanceof UnauthorizedError) return 401
  return cause instanceof SdkHttpError ? cause.status : undefined
}
