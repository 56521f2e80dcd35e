import { type CallToolResult, type Client, type ContentBlock, ProtocolError } from "@modelcontextprotocol/client"
import type { Outcome, Principal } from "@x/agentic-service"
import type { AdapterEvent, McpAdapter } from "@x/mcp-adapter"
import { type Person, type Reactions, toUnanswered } from "./person.js"
import { listTools } from "./seen.js"
import { TestingError } from "./testing-error.js"

/** Options of a tool call. */
export interface CallOptions {
  /** The person's answers to the action's questions; see {@link Reactions}. Default: no person can be asked. */
  readonly answers?: Reactions
  /** Cancels the call, which then rejects. */
  readonly signal?: AbortSignal
  /** Receives progress. */
  readonly onProgress?: (progress: HeardProgress) => void
}

/** An action's progress, as clients receive it. */
export interface HeardProgress {
  /** The work done so far. */
  readonly progress: number
  /** The total work, if known. */
  readonly total?: number | undefined
  /** A message for people. */
  readonly message?: string | undefined
}

/** The answer of a tool. */
export interface Answer {
  /** The action's original outcome, before conversion to text: a value, or a failure with its code. */
  readonly outcome: Outcome
  /** The text blocks of the result as the model reads them, one per line. */
  readonly text: string
  /** Whether the model is told that the call failed. */
  readonly isError: boolean
  /** The structured content, if the tool has an output schema, including the `changes` that the call caused. */
  readonly structured: unknown
  /** All content blocks of the result. */
  readonly content: readonly ContentBlock[]
  /** All questions to the person, in order. */
  readonly asked: readonly string[]
  /** The id for `get_task` and `cancel_task`, if the answer is that the action still runs. */
  readonly task?: string
}

/** Calls tools for a test. */
export interface Caller {
  /** See `TestClient.call`. */
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>
  /** Returns the names of unanswered calls. */
  open(): readonly string[]
  /** Records an event of the adapter. */
  note(event: AdapterEvent): void
}

/** The dependencies of a caller. */
interface CallerOptions {
  readonly client: Client
  readonly adapter: McpAdapter
  readonly principal: Principal | undefined
  readonly person: Person
}

/** Creates a caller without calls. */
export function createCaller({ client, adapter, principal, person }: CallerOptions): Caller {
  const open = new Map<string, string>()
  const outcomes = new Map<string, Outcome>()
  const tasks = new Map<string, string>()
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
        throw new TestingError(`there is no tool "${name}"; there are: ${names}`, { code: "unknown_tool", cause })
      })
  }
  const callOnce = async (trace: string, request: Parameters<Client["callTool"]>, answers: Reactions | undefined) => {
    if (answers !== undefined) return person.during(answers, () => send(trace, request))
    const result = await send(trace, request)
    const outcome = outcomes.get(trace)
    // Without a person, the client cancelled the question.
    const strays = person.strays()
    if (outcome?.ok === false && strays.length > 0) throw toUnanswered(strays)
    return { result, asked: [] }
  }

  return {
    async call(name, args = {}, { answers, signal, onProgress } = {}) {
      // The call's trace finds its events in the adapter.
      const trace = newTrace()
      open.set(trace, name)
      try {
        const options = { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) }
        const { result, asked } = await callOnce(trace, [{ name, arguments: { ...args } }, options], answers)
        const task = tasks.get(trace)
        return { ...toAnswer(result, outcomes.get(trace), asked), ...(task !== undefined && { task }) }
      } finally {
        open.delete(trace)
        outcomes.delete(trace)
        tasks.delete(trace)
      }
    },
    open: () => [...open.values()],
    note(event) {
      if (event.type !== "call-settled" && event.type !== "call-handed") return
      const trace = event.trace?.traceparent
      if (trace === undefined || !open.has(trace)) return
      if (event.type === "call-handed") tasks.set(trace, event.task)
      else outcomes.set(trace, event.outcome)
    },
  }
}

/** Creates a new trace per call, in the form of W3C Trace Context. */
function newTrace(): string {
  const [trace, span] = [crypto.randomUUID(), crypto.randomUUID()].map((id) => id.replaceAll("-", ""))
  return `00-${trace}-${span?.slice(0, 16)}-00`
}

function toAnswer(result: CallToolResult, outcome: Outcome | undefined, asked: readonly string[]): Answer {
  const { content, isError = false, structuredContent: structured } = result
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  // Tools other than actions, such as those of an extension, have no outcome.
  const made: Outcome = isError ? { ok: false, message: text } : { ok: true, value: structured ?? text }
  return { outcome: outcome ?? made, text, isError, structured, content, asked }
}
