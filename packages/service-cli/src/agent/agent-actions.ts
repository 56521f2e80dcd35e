import { AsyncLocalStorage } from "node:async_hooks"
import { once } from "node:events"
import {
  type ActionDeclaration,
  type AgenticService,
  type AuthoredJsonSchema,
  type ExecuteContext,
  type Hints,
  ServiceError,
} from "@x/agentic-service"
import { type CheckedActionOptions, guardListeners, type MemberFailure, toOutcome } from "@x/agentic-service/adapter"
import { isRecord } from "@x/base"
import type { Subject } from "rxjs"
import { suggest } from "../names/suggest.js"
import { type Agent, type AgentContext, isAgent } from "./agent.js"
import type { AgentReturn, AgentTool, InvokeLimits, PlainDefinition } from "./agent-definition.js"
import { toOptionValues } from "./agent-option.js"
import type { AgentRuntime } from "./agent-runtime.js"

/** The dependencies of an agent's actions. */
interface AgentSite {
  /** The services it may invoke, by link name. */
  readonly linked: ReadonlyMap<string, () => AgenticService>
  /** Its runtime. */
  readonly runtime: AgentRuntime
  /** Receives failures of invoked services that nobody else receives. */
  readonly heard: Subject<MemberFailure>
  /** Whether a linked service is published, so that its failures already have a receiver. */
  isPublished(key: string): boolean
  /** Returns the agent. */
  self(): Agent
}

/** The input object of an action. */
type Input = Readonly<Record<string, unknown>>

/** Creates an agent's own action and the actions of its further tools. */
export function createAgentActions(
  definition: PlainDefinition,
  site: AgentSite,
): Readonly<Record<string, ActionDeclaration>> {
  const { name, description, options = {}, required = [], tools = [], timeoutMs, idleMs } = definition
  const { contextDescription = "Input context for the agent" } = definition
  const properties = { context: { type: "string", description: contextDescription }, ...options }
  const own = toAction({
    description,
    input: toSchema({ type: "object", properties, ...(required.length > 0 && { required }) }),
    toolName: name,
    ...toHints(definition),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(idleMs !== undefined && { idleMs }),
    async execute(input, context) {
      const given = isRecord(input) ? input : {}
      const call = { input: given, options: toOptionValues(options, given), context }
      return toResult(name, await definition.execute(await createContext(definition, site, call)))
    },
  })
  const further = tools.map((tool) => [tool.name, toFurther(definition, site, tool)] as const)
  return { [name]: own, ...Object.fromEntries(further) }
}

function toFurther(definition: PlainDefinition, site: AgentSite, tool: AgentTool): ActionDeclaration {
  const { name, description, inputSchema = { type: "object", properties: {} } } = tool
  return toAction({
    description,
    input: inputSchema,
    ...toHints(tool),
    ...(isPlain(name) ? {} : { toolName: name }),
    ...(definition.timeoutMs !== undefined && { timeoutMs: definition.timeoutMs }),
    ...(definition.idleMs !== undefined && { idleMs: definition.idleMs }),
    async execute(input, context) {
      const given = isRecord(input) ? input : {}
      const made = await createContext(definition, site, { input: given, options: given, context })
      return toResult(name, await tool.handler(given, made))
    },
  })
}

function toHints({ readOnly, destructive, idempotent, openWorld }: Hints): Hints {
  return {
    ...(readOnly !== undefined && { readOnly }),
    // An undefined hint means unknown: the agent's model may do anything.
    destructive,
    ...(idempotent !== undefined && { idempotent }),
    ...(openWorld !== undefined && { openWorld }),
  }
}

/** Passes the schema on unchanged. Faults in it are reported when the action is published. */
function toSchema(schema: object): AuthoredJsonSchema {
  // Options may have any keyword of JSON Schema, but the type for authored schemas knows only some.
  return schema as AuthoredJsonSchema
}

/** Wraps options that were typed where the agent was defined. Results may be anything. */
function toAction(options: CheckedActionOptions): ActionDeclaration {
  return { kind: "action", options }
}

/** Whether a name can do without an explicit tool name, so that a link's path can be put before it. */
function isPlain(name: string): boolean {
  return name.length <= 40 && /^[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*$/.test(name)
}

/** One call. */
interface AgentCall {
  readonly input: Input
  readonly options: Input
  readonly context: ExecuteContext
}

async function createContext(definition: PlainDefinition, site: AgentSite, call: AgentCall): Promise<AgentContext> {
  const { context, input, options } = call
  const { signal, principal } = context
  let reported = 0
  const progress: AgentContext["progress"] = (told) => {
    const next = typeof told === "string" ? { progress: reported + 1, message: told } : told
    reported = Math.max(reported, next.progress)
    context.progress(next)
  }
  const { services, config, environment, notes } = await site.runtime.start()
  return {
    input: typeof input["context"] === "string" ? input["context"] : "",
    options,
    services,
    config,
    environment,
    writeContext: (note) => notes.write(principal?.id, note),
    searchContext: (query = {}) => notes.search(principal?.id, query),
    signal,
    ...(principal && { principal }),
    progress,
    invoke: createInvoke(site, { context, progress, limits: definition.invoke ?? {} }),
  }
}

/** Converts an author's return value to an action's result. A `fail(…)` is passed on unchanged. */
function toResult(name: string, returned: Awaited<AgentReturn>): unknown {
  if (returned === undefined) return undefined
  // Untyped code may return anything.
  const given: unknown = returned
  if (!isRecord(given)) throw new TypeError(`"${name}" returned ${nameOf(given)}: expected { result } or nothing`)
  if ("result" in given) return given["result"]
  if ("ok" in given) return given
  throw new TypeError(`"${name}" returned an object without "result": expected { result } or nothing`)
}

function nameOf(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "a list" : `a ${typeof value}`
}

/** The agents in the current chain of calls, outermost first. It follows a call through the process. */
const chain = new AsyncLocalStorage<readonly AgenticService[]>()

/** The call that invokes others. */
interface InvokeCall {
  /** The context of the call. */
  readonly context: ExecuteContext
  /** Reports progress. */
  readonly progress: AgentContext["progress"]
  /** The agent's limits. */
  readonly limits: Partial<InvokeLimits>
}

/** Creates `invoke`, which runs linked services within limits, on behalf of one call. */
function createInvoke(site: AgentSite, call: InvokeCall): AgentContext["invoke"] {
  const { depth = 5, timeoutMs = 60_000 } = call.limits
  const before = [...(chain.getStore() ?? []), site.self()]
  return async (target, input, options = {}) => {
    const { key, service } = findLinked(site, target)
    guard(before, service, depth)
    const action = options.action ?? onlyAction(service)
    const given = typeof input === "string" ? { context: input } : (input ?? {})
    const run = (signal: AbortSignal): Promise<unknown> =>
      chain.run(before, () => execute(service, { action, given, signal, call }))
    const stopHearing = site.isPublished(key) ? () => {} : hear(service, site.heard)
    const all = { name: service.name, caller: call.context.signal, run }
    return within(options.timeoutMs ?? timeoutMs, all).finally(stopHearing)
  }
}

/** The receivers of a service's failures, with their number of subscriptions. */
const hearing = new WeakMap<AgenticService, Map<Subject<MemberFailure>, { count: number; readonly stop: () => void }>>()

/** Forwards a service's failures once, however many calls of it are running. */
function hear(service: AgenticService, heard: Subject<MemberFailure>): () => void {
  const all = hearing.get(service) ?? new Map()
  hearing.set(service, all)
  const subscribe = () => {
    const subscription = service.failures.subscribe((failure) => heard.next(failure))
    return { count: 0, stop: () => subscription.unsubscribe() }
  }
  const own = all.get(heard) ?? subscribe()
  all.set(heard, own)
  own.count += 1
  return () => {
    own.count -= 1
    if (own.count > 0) return
    all.delete(heard)
    own.stop()
  }
}

interface Linked {
  readonly key: string
  readonly service: AgenticService
}

function findLinked({ linked }: AgentSite, target: AgenticService | string): Linked {
  if (typeof target === "string") {
    const find = linked.get(target)
    if (find !== undefined) return { key: target, service: find() }
    throw new ServiceError(`agent "${target}" is not linked: ${suggest(target, [...linked.keys()])}`, {
      code: "not_linked",
    })
  }
  for (const [key, find] of linked) if (find() === target) return { key, service: target }
  throw new ServiceError(`agent "${target.name}" is not linked: add it to "agents"`, { code: "not_linked" })
}

function guard(before: readonly AgenticService[], service: AgenticService, depth: number): void {
  const names = [...before, service].map(({ name }) => name).join(" → ")
  if (before.includes(service))
    throw new ServiceError(`agents invoke each other in a cycle: ${names}`, { code: "loop" })
  if (before.length < depth) return
  throw new ServiceError(`the chain of agents is too deep: ${names}; expected at most ${depth}`, { code: "too_deep" })
}

function onlyAction(service: AgenticService): string {
  if (isAgent(service)) return service.primary
  const [only, ...more] = Object.keys(service.declared.actions)
  if (only !== undefined && more.length === 0) return only
  throw new ServiceError(
    `service "${service.name}" does not have exactly one action: name one in the option "action"`,
    {
      code: "invalid_input",
    },
  )
}

/** The parameters of one execution. */
interface Execution {
  readonly action: string
  readonly given: object
  readonly signal: AbortSignal
  readonly call: InvokeCall
}

async function execute(service: AgenticService, { action, given, signal, call }: Execution): Promise<unknown> {
  const { context, progress } = call
  const executing: ExecuteContext = {
    signal,
    answers: {},
    ...(context.principal && { principal: context.principal }),
    progress({ message }) {
      if (message !== undefined) progress(`${service.name}: ${message}`)
    },
  }
  const outcome = await toOutcome(action, await service.execute(action, given, executing), executing)
  if (outcome.ok) return outcome.value
  const { message, code = "action_failed", recovery } = outcome
  throw new ServiceError(message, { code, ...(recovery !== undefined && { recovery }) })
}

/** A run with a time limit, which also ends with its caller. */
interface Timed {
  readonly name: string
  readonly caller: AbortSignal
  run(signal: AbortSignal): Promise<unknown>
}

/** Settles when the time is up or the caller gives up, even if the run does not stop. */
async function within(milliseconds: number, { name, caller, run }: Timed): Promise<unknown> {
  const controller = new AbortController()
  guardListeners(controller.signal, (cause) => {
    process.emitWarning(`a listener of the abort signal of agent "${name}" threw: ${String(cause)}`)
  })
  const given = once(controller.signal, "abort").then(() => controller.signal.throwIfAborted())
  const onAbort = (): void => controller.abort(caller.reason)
  const late = new ServiceError(`agent "${name}" took more than ${milliseconds} ms`, { code: "timeout" })
  const timer = setTimeout(() => controller.abort(late), milliseconds)
  caller.addEventListener("abort", onAbort)
  if (caller.aborted) onAbort()
  try {
    return await Promise.race([given, run(controller.signal)])
  } finally {
    clearTimeout(timer)
    caller.removeEventListener("abort", onAbort)
  }
}
