import {
  Client,
  type ClientCapabilities,
  InsufficientScopeError,
  OAuthError,
  RegistrationRejectedError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client"
import { createDeferred } from "@x/base"
import { UpstreamError } from "../upstream-error.js"
import type { Counted } from "./holdings.js"
import { followOrigins, type Origins } from "./origins.js"

/** An open connection to a server. */
export interface Session {
  /** The SDK's client. */
  readonly client: Client
  /** The negotiated protocol era. */
  readonly era: "legacy" | "modern"
  /** Finds the request that a server's message belongs to. */
  readonly origins: Origins
  /** Resolves with the reason once the connection is lost or closed. */
  readonly lost: Promise<UpstreamError>
  /** Returns whether the session is lost or closed; true before `lost` resolves. */
  isOver(): boolean
  /** Ends a connection that no longer works, with the reason and the thrown value. */
  fail(reason: string, cause?: unknown): void
  /** Closes the session. Settles once all of it is closed. */
  close(): Promise<void>
}

/** The way to reach a server. */
export interface Dial {
  /** The server's address in messages, without secrets. */
  readonly label: string
  /** Creates the transport of one attempt. Its `close` must close everything that the attempt opened. */
  open(ears: DialEars): Transport | Promise<Transport>
  /** Whether the server is a child process, which can crash in a loop. */
  readonly child: boolean
  /** Returns another transport to try, such as an older one, if the server does not understand the first. */
  readonly fallback?: (cause: unknown) => Transport | undefined
  /** The sign-in; absent if the application provides none. */
  readonly signIn?: DialSignIn
}

/** The sign-in of a server. */
export interface DialSignIn {
  /** Completes the sign-in with the query that the browser brought back from the newest page. */
  finish(callback: URLSearchParams): Promise<void>
  /** Allows a new page to open. */
  renew(): void
}

/** The listener of a dial. */
export interface DialEars {
  /** Receives each line of the process's standard error. */
  stderr(line: string): void
  /** Counts a started process. @returns A function that notes its exit. */
  child(): () => void
  /** Receives the reason why the process exited. */
  ended(reason: string): void
}

/** Options of {@link openSession}. */
export interface OpenOptions {
  /** The protocol revisions to try. */
  readonly era: "auto" | "legacy" | "modern"
  /** The most milliseconds that connecting may take. */
  readonly connectMs: number
  /** Milliseconds between heartbeats; 0 for none. */
  readonly heartbeatMs: number
  /** The client capabilities to declare. */
  readonly capabilities: ClientCapabilities
  /** Counts what is open. */
  readonly holdings: Counted
  /** Receives the dial's reports. */
  readonly ears: DialEars
  /** Returns the reason why the process exited, if known. */
  why?(): string | undefined
  /** Prepares the client before it connects. */
  prepare(client: Client): void
}

/** Connects once. On failure, closes everything and rejects with an {@link UpstreamError}. */
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
    throw new UpstreamError(toReason(thrown, options), { code: "unreachable", cause: thrown })
  }
}

function toReason(cause: unknown, { connectMs, why }: Pick<OpenOptions, "connectMs" | "why">): string {
  const ended = why?.()
  if (ended !== undefined) return ended
  const codes = [...causesOf(cause)].map((each) => (each instanceof SdkError ? each.code : undefined))
  if (codes.includes(SdkErrorCode.RequestTimeout)) return `it did not answer within ${connectMs / 1_000} s`
  if (/pinned protocol version/.test(reasonOf(cause)))
    return 'it does not speak MCP 2026-07-28, as "era": "modern" requires'
  return reasonOf(cause)
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
      capabilities: options.capabilities,
      inputRequired: { autoFulfill: false },
      listMaxPages: 0,
      ...(era !== "legacy" && {
        // A server that starts slowly has all the time if the legacy era is not tried after it.
        versionNegotiation: {
          mode: toMode(era),
          probe: { timeoutMs: era === "modern" ? connectMs : Math.min(connectMs, 10_000) },
        },
      }),
    },
  )
  options.prepare(client)
  const aborted = createDeferred<never>()
  const stop = (): void => aborted.reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })
  try {
    // The client checks the signal only after its probe of the era, which may take 10 s.
    await Promise.race([client.connect(transport, { timeout: connectMs, signal }), aborted.promise])
  } catch (thrown) {
    await client.close().catch(() => undefined)
    // Before it is connected, the client does not own the transport.
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

/** Creates the session of a connected client; each ends with the other. */
export function follow(
  client: Client,
  { heartbeatMs, holdings, why }: Pick<OpenOptions, "heartbeatMs" | "holdings" | "why">,
  over: () => void,
): Session {
  const era = client.getProtocolEra() === "modern" ? "modern" : "legacy"
  const origins = followOrigins(client)
  const { promise: lost, resolve } = createDeferred<UpstreamError>()
  let ended = false
  let cancelBeat = (): void => {}
  const fail = (reason: string, cause?: unknown): void => {
    if (ended) return
    ended = true
    cancelBeat()
    over()
    resolve(new UpstreamError(reason, { code: "unreachable", cause }))
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

/** Returns whether the server answered: one that rejects a ping is alive. */
function isAnswer(cause: unknown): boolean {
  return (
    typeof cause === "object" &&
    cause !== null &&
    "code" in cause &&
    typeof cause.code === "number" &&
    !(cause instanceof SdkHttpError)
  )
}

/** Whether a request's error means that the connection is lost. */
export function isLoss(cause: unknown): boolean {
  if (cause instanceof SdkHttpError) return [404, 502, 503, 504].includes(cause.status ?? 0)
  return (
    cause instanceof TypeError || (cause instanceof Error && /not connected|connection closed/i.test(cause.message))
  )
}

/** Whether the server did not know the session, so the request cannot have run. */
export function isUnknownSession(cause: unknown): boolean {
  return cause instanceof SdkHttpError && cause.status === 404
}

/** Returns the reason of a failure. The innermost cause usually says the most. */
export function reasonOf(cause: unknown): string {
  const chain = [...causesOf(cause)]
  const unauthorized = chain.find(isUnauthorized)
  if (unauthorized !== undefined) return unauthorized.message
  const scope = chain.find((each) => each instanceof InsufficientScopeError)
  if (scope !== undefined) return `it requires ${toScope(scope)}, which the credentials lack (403)`
  const status = chain.map(statusOf).find((found) => found !== undefined)
  if (status === 401) return "it rejected the credentials (401): check its headers or its sign-in"
  if (status === 403) return "it rejected the credentials (403)"
  // Its message already says what happened.
  if (cause instanceof UpstreamError) return cause.message
  const words = chain.map(wordsOf).filter((each) => each !== "")
  const [first = "it went wrong", last = first] = [words[0], words.at(-1)]
  return first.includes(last) ? first : `${first}: ${last}`.slice(0, 500)
}

/**
 * Returns how to fix a refusal that another attempt would not change: a missing sign-in, or credentials or a client that the
 * server rejects. Returns `undefined` for any other error.
 */
export function remedyOf(cause: unknown): string | undefined {
  const chain = [...causesOf(cause)]
  const unauthorized = chain.find(isUnauthorized)
  if (unauthorized !== undefined) return unauthorized.remedy ?? "finish its sign-in, then reconnect"
  const isRefused = chain.some((each) => {
    const status = statusOf(each)
    return status === 401 || status === 403 || each instanceof RegistrationRejectedError || isFinal(each)
  })
  return isRefused ? "fix its headers or finish its sign-in, then reconnect or reload" : undefined
}

/** The OAuth errors that a retry by the same client meets again. */
const FINAL: readonly string[] = ["invalid_client", "unauthorized_client", "access_denied", "invalid_grant"]

function isFinal(cause: unknown): boolean {
  return cause instanceof OAuthError && FINAL.includes(cause.code)
}

/** Checks whether a connection failed because a person has to sign in first. */
export function waitsForSignIn(cause: unknown): boolean {
  return [...causesOf(cause)].some(isUnauthorized)
}

function isUnauthorized(cause: unknown): cause is UpstreamError {
  return cause instanceof UpstreamError && cause.code === "unauthorized"
}

function* causesOf(cause: unknown, depth = 0): Iterable<unknown> {
  yield cause
  if (cause instanceof Error && cause.cause !== undefined && depth < 10) yield* causesOf(cause.cause, depth + 1)
}

/** Returns the first line of an error's message, or its code if the message is empty, as for errors of several addresses. */
function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const [line = ""] = cause.message.replace(/^Version negotiation (probe )?failed: /, "").split("\n")
  return line || ("code" in cause ? String(cause.code) : "")
}

/** Returns the scope that the server requires, quoted and cut. */
function toScope({ requiredScope }: InsufficientScopeError): string {
  return requiredScope ? `the scope ${JSON.stringify(requiredScope.slice(0, 200))}` : "another scope"
}

/** Returns the HTTP status behind an error of the SDK. */
export function statusOf(cause: unknown): number | undefined {
  if (cause instanceof UnauthorizedError) return 401
  if (cause instanceof InsufficientScopeError) return 403
  return cause instanceof SdkHttpError ? cause.status : undefined
}
