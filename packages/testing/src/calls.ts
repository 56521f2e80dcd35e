import { type CallToolResult, type Client, type ContentBlock, ProtocolError } from "@modelcontextprotocol/client"
import type { Outcome, Principal } from "@x/agentic-service"
import type { AdapterEvent, McpAdapter } from "@x/mcp-adapter"
import { type Person, type Reactions, toUnanswered } from "./person.js"
import { listTools } from "./seen.js"
import { TestingError } from "./testing-error.js"

/** How a tool is called. */
export interface CallOptions {
  /** What the person says to the questions of the action; see {@link Reactions}. Default: nobody is there to be asked. */
  readonly answers?: Reactions
  /** Gives the call up, which then rejects. */
  readonly signal?: AbortSignal
  /** Hears how far the action is. */
  readonly onProgress?: (progress: HeardProgress) => void
}

/** How far an action is, as a client hears it. */
export interface HeardProgress {
  /** Work done so far. */
  readonly progress: number
  /** All the work there is, where known. */
  readonly total?: number | undefined
  /** What is happening, for people. */
  readonly message?: string | undefined
}

/** What a tool answered. */
export interface Answer {
  /** What the action came to, before it was put into words: a value, or a failure with its code. */
  readonly outcome: Outcome
  /** The text blocks of the result, as the model reads them, each beginning on a line of its own. */
  readonly text: string
  /** Whether the model is told that the call failed. */
  readonly isError: boolean
  /** The value as data where the tool has an output schema, with the `changes` that came about beside it. */
  readonly structured: unknown
  /** All blocks of the result. */
  readonly content: readonly ContentBlock[]
  /** What the person was asked, in order. */
  readonly asked: readonly string[]
}

/** Calls tools for a test. */
export interface Caller {
  /** See `TestClient.call`. */
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>
  /** What was called and has not been answered. */
  open(): readonly string[]
  /** Takes what happens in the adapter. */
  note(event: AdapterEvent): void
}

/** What calls stand on. */
interface CallerOptions {
  readonly client: Client
  readonly adapter: McpAdapter
  readonly principal: Principal | undefined
  readonly person: Person
}

/** One that has called nothing yet. */
export function createCaller({ client, adapter, principal, person }: CallerOptions): Caller {
  const open = new Map<string, string>()
  const outcomes = new Map<string, Outcome>()
  const isUnknown = (name: string): boolean => {
    const { view, release } = adapter.core.open(principal)
    const { status } = view.resolve(name)
    release()
    return status === "unknown"
  }
  const send = async (trace: string, request: Parameters<Client["callTool"]>): Promise<CallToolResult> => {
    const [{ name, ...params }, options] = request
    return client
      .callTool({ name, ...params, _meta: { traceparent: trace } }, options)
      .catch(async (cause: unknown) => {
        if (!(cause instanceof ProtocolError) || !isUnknown(name)) throw cause
        const names = (await listTools(client)).map((tool) => tool.name).join(", ") || "none"
        throw new TestingError("unknown_tool", `there is no tool "${name}"; there are: ${names}`, { cause })
      })
  }
  const callOnce = async (trace: string, request: Parameters<Client["callTool"]>, answers: Reactions | undefined) => {
    if (answers !== undefined) return person.during(answers, () => send(trace, request))
    const result = await send(trace, request)
    const outcome = outcomes.get(trace)
    // Nobody was there, so the client closed the question without an answer.
    const strays = person.strays()
    if (outcome?.ok === false && strays.length > 0) throw toUnanswered(strays)
    return { result, asked: [] }
  }

  return {
    async call(name, args = {}, { answers, signal, onProgress } = {}) {
      // What happened in the adapter is found again by the trace that the call belongs to.
      const trace = newTrace()
      open.set(trace, name)
      try {
        const options = { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) }
        const { result, asked } = await callOnce(trace, [{ name, arguments: { ...args } }, options], answers)
        return toAnswer(result, outcomes.get(trace), asked)
      } finally {
        open.delete(trace)
        outcomes.delete(trace)
      }
    },
    open: () => [...open.values()],
    note(event) {
      if (event.type !== "call-settled") return
      const trace = event.trace?.traceparent
      if (trace !== undefined && open.has(trace)) outcomes.set(trace, event.outcome)
    },
  }
}

/** A trace of its own for each call, in the form of W3C Trace Context. */
function newTrace(): string {
  const [trace, span] = [crypto.randomUUID(), crypto.randomUUID()].map((id) => id.replaceAll("-", ""))
  return `00-${trace}-${span?.slice(0, 16)}-00`
}

function toAnswer(result: CallToolResult, outcome: Outcome | undefined, asked: readonly string[]): Answer {
  const { content, isError = false, structuredContent: structured } = result
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  // A tool beside the actions, such as one of an extension, settles nothing.
  const made: Outcome = isError ? { ok: false, message: text } : { ok: true, value: structured ?? text }
  return { outcome: outcome ?? made, text, isError, structured, content, asked }
}
