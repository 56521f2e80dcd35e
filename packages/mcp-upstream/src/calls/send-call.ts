import { ProtocolError, type Progress as SdkProgress, type Tool } from "@modelcontextprotocol/client"
import type { ExecuteContext, Progress } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import equal from "fast-deep-equal"
import { anyResult } from "../definitions/list-all.js"
import type { Counted } from "../life/holdings.js"
import type { Keeper } from "../life/keep-connected.js"
import type { Occupant } from "../life/occupant.js"
import type { Session } from "../life/session.js"
import type { Askable, Listed, UpstreamEvent, UpstreamLimits } from "../upstream.js"
import type { AskedCalls } from "./asked-calls.js"
import type { OpenOwn } from "./own-connection.js"

/** Options of a server's calls. */
export interface CallOptions {
  /** The connection. */
  readonly keeper: Pick<Keeper, "session">
  /** The limits of the server. */
  readonly limits: UpstreamLimits
  /** Counts what is open. */
  readonly holdings: Counted
  /** The identity of the server behind a connection. */
  readonly occupant: Pick<Occupant, "of">
  /** Opens a connection for one call; absent if calls share one. */
  readonly openOwn?: OpenOwn | undefined
  /** The server's name in labels of its questions. */
  readonly label: string
  /** The kinds of requests that the server may make. */
  readonly mayAsk: readonly Askable[]
  /** Lists the tools again. Resolves with the named tool, if still offered. */
  relist(tool: string): Promise<Listed | undefined>
  /** Receives events. */
  emit(event: UpstreamEvent): void
  /** Removes secrets from a text. */
  redact(text: string): string
}

/** A request's parameters or result. */
export type Parameters = Record<string, unknown>

/** A running call. */
export interface RunningCall {
  readonly tool: Listed
  readonly session: Session
  readonly params: Parameters & { readonly name: string }
  readonly asked: AskedCalls
  readonly options: CallOptions
}

/**
 * Sends one call. If the server misses a header that the listed tool did not declare, nothing has run: the tool is listed
 * again, and the call is repeated once if only the tool's parameters have changed (2026-07-28, basic/transports, custom
 * headers).
 */
export async function sendCall(call: RunningCall, heard: Heard): Promise<Parameters> {
  try {
    return await sendOnce(call, heard)
  } catch (cause) {
    const isMismatch = cause instanceof ProtocolError && cause.code === HEADER_MISMATCH
    if (!isMismatch || call.session.era !== "modern") throw cause
    const tool = await call.options.relist(call.params.name)
    if (tool === undefined || equal(tool, call.tool) || !equal(withoutSchema(tool), withoutSchema(call.tool)))
      throw cause
    return sendOnce({ ...call, tool }, heard)
  }
}

/** The error code for headers that contradict the body. */
const HEADER_MISMATCH = -32_020

function withoutSchema({ inputSchema: _, ...rest }: Listed): Listed {
  return rest
}

/** Sends one request. Its result is checked later: the SDK would reject the whole result for one invalid part. */
function sendOnce(
  { tool, session, params, options: { limits } }: RunningCall,
  { mark, signal, progress }: Heard,
): Promise<Parameters> {
  const options = {
    // The SDK reads no more of a signal than this, and creating one costs as much as a small call.
    signal: signal as AbortSignal,
    timeout: limits.callMs,
    allowInputRequired: true,
    relatedRequestId: mark,
    ...(progress && { onprogress: (told: SdkProgress) => progress(toProgress(told)) }),
  }
  if (!hasHeaders(tool)) return session.client.request({ method: "tools/call", params }, anyResult, options)
  // The listed tool was checked: it has a name and an object as its schema.
  const toolDefinition = { name: params.name, inputSchema: tool["inputSchema"] } as Tool
  // The SDK sends arguments as headers, for which it needs the definition.
  return session.client.callTool(params, { ...options, toolDefinition })
}

/** The listeners of a request. */
export interface Heard {
  readonly mark: string
  readonly signal: Abortable
  /** Absent if nobody listens to progress. */
  readonly progress?: ExecuteContext["progress"] | undefined
}

function toProgress({ progress, total, message }: SdkProgress): Progress {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
}

const withHeaders = new WeakMap<Listed, boolean>()

/** Returns whether some parameters are sent as headers (2026-07-28, basic/transports, custom headers). */
function hasHeaders(tool: Listed): boolean {
  const known = withHeaders.get(tool) ?? JSON.stringify(tool["inputSchema"]).includes('"x-mcp-header"')
  withHeaders.set(tool, known)
  return known
}
