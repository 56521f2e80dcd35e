import { AsyncLocalStorage } from "node:async_hooks"
import { type AgenticService, type ExecuteContext, ServiceError } from "@x/agentic-service"
import { suggest } from "../names/nearest.js"
import { isAgent } from "./agent.js"
import type { AgentContext } from "./agent-context.js"
import type { InvokeLimits } from "./agent-definition.js"
import type { AgentSite } from "./create-agent-actions.js"

/** The agents that led to what runs, the first caller's first. Follows a call wherever it goes within the process. */
const chain = new AsyncLocalStorage<readonly AgenticService[]>()

/** What one call invokes others with. */
export interface InvokeCall {
  /** The call. */
  readonly context: ExecuteContext
  /** Says what is happening. */
  readonly progress: AgentContext["progress"]
  /** The agent's bounds. */
  readonly limits: Partial<InvokeLimits>
}

/** Invokes what an agent is linked to, within bounds, on behalf of one of its calls. */
export function createInvoke(site: AgentSite, call: InvokeCall): AgentContext["invoke"] {
  const { depth = 5, timeout = 60_000 } = call.limits
  const before = [...(chain.getStore() ?? []), site.self()]
  return async (target, input, options = {}) => {
    const service = findLinked(site, target)
    guard(before, service, depth)
    const action = options.action ?? onlyAction(service)
    const given = typeof input === "string" ? { context: input } : (input ?? {})
    const run = (signal: AbortSignal): Promise<unknown> =>
      chain.run(before, () => execute(service, { action, given, signal, call }))
    return within(options.timeout ?? timeout, { name: service.name, caller: call.context.signal, run })
  }
}

function findLinked({ linked }: AgentSite, target: AgenticService | string): AgenticService {
  if (typeof target === "string") {
    const find = linked.get(target)
    if (find !== undefined) return find()
    throw new ServiceError(`agent "${target}" is not linked: ${suggest(target, [...linked.keys()])}`, {
      code: "not_linked",
    })
  }
  if ([...linked.values()].some((find) => find() === target)) return target
  throw new ServiceError(`agent "${target.name}" is not linked: expected it among "agents"`, { code: "not_linked" })
}

function guard(before: readonly AgenticService[], service: AgenticService, depth: number): void {
  const names = [...before, service].map(({ name }) => name).join(" → ")
  if (before.includes(service))
    throw new ServiceError(`agents invoke each other in a circle: ${names}`, { code: "loop" })
  if (before.length < depth) return
  throw new ServiceError(`the chain of agents is too deep: ${names}; expected ${depth} at most`, { code: "too_deep" })
}

function onlyAction(service: AgenticService): string {
  if (isAgent(service)) return service.primary
  const [only, ...more] = Object.keys(service.declared.actions)
  if (only !== undefined && more.length === 0) return only
  throw new ServiceError(`service "${service.name}" has not one action: expected "action" among the options`, {
    code: "invalid_input",
  })
}

/** What is to be executed. */
interface Execution {
  readonly action: string
  readonly given: object
  readonly signal: AbortSignal
  readonly call: InvokeCall
}

async function execute(service: AgenticService, { action, given, signal, call }: Execution): Promise<unknown> {
  const { context, progress } = call
  const outcome = await service.execute(action, given, {
    signal,
    answers: {},
    ...(context.principal && { principal: context.principal }),
    progress({ message }) {
      if (message !== undefined) progress(`${service.name}: ${message}`)
    },
  })
  if (outcome.ok) return outcome.value
  const { message, code = "action_failed", recovery } = outcome
  throw new ServiceError(message, { code, ...(recovery !== undefined && { recovery }) })
}

/** A run that has so much time, and goes on no longer than its caller. */
interface Timed {
  readonly name: string
  readonly caller: AbortSignal
  run(signal: AbortSignal): Promise<unknown>
}

/** Answers when the time is up or the caller gives up, also where what runs does not stop. */
async function within(milliseconds: number, { name, caller, run }: Timed): Promise<unknown> {
  const controller = new AbortController()
  let give = (_: unknown): void => {}
  const given = new Promise<never>((_, reject) => {
    give = reject
  })
  const stop = (reason: unknown): void => {
    controller.abort(reason)
    give(reason)
  }
  const onAbort = (): void => stop(caller.reason)
  const late = new ServiceError(`agent "${name}" took more than ${milliseconds} ms`, { code: "timeout" })
  const timer = setTimeout(() => stop(late), milliseconds)
  caller.addEventListener("abort", onAbort)
  if (caller.aborted) onAbort()
  try {
    return await Promise.race([given, run(controller.signal)])
  } finally {
    clearTimeout(timer)
    caller.removeEventListener("abort", onAbort)
  }
}
