import type {
  ActionDeclaration,
  AgenticService,
  AuthoredJsonSchema,
  CheckedActionOptions,
  ExecuteContext,
} from "@x/agentic-service"
import { isRecord } from "../flags/is-record.js"
import type { Agent } from "./agent.js"
import type { AgentContext } from "./agent-context.js"
import type { AgentReturn, AgentTool, PlainDefinition } from "./agent-definition.js"
import { toOptionValues } from "./agent-option.js"
import { createInvoke } from "./create-invoke.js"
import type { ServiceKeeper } from "./create-service-keeper.js"

/** What the actions of an agent work with. */
export interface AgentSite {
  /** What it may invoke, by the name of the link. */
  readonly linked: ReadonlyMap<string, () => AgenticService>
  /** Holds its services. */
  readonly keeper: ServiceKeeper
  /** The agent itself. */
  self(): Agent
}

/** Input of an action that takes an object. */
type Input = Readonly<Record<string, unknown>>

/** An agent's own action, and those of its further tools. */
export function createAgentActions(
  definition: PlainDefinition,
  site: AgentSite,
): Readonly<Record<string, ActionDeclaration>> {
  const { name, description, options = {}, required = [], tools = [], timeout } = definition
  const { contextDescription = "Input context for the agent" } = definition
  const properties = { context: { type: "string", description: contextDescription }, ...options }
  const own = toAction({
    description,
    input: toSchema({ type: "object", properties, ...(required.length > 0 && { required }) }),
    toolName: name,
    ...(timeout !== undefined && { timeout }),
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
    ...(isPlain(name) ? {} : { toolName: name }),
    ...(definition.timeout !== undefined && { timeout: definition.timeout }),
    async execute(input, context) {
      const given = isRecord(input) ? input : {}
      const made = await createContext(definition, site, { input: given, options: given, context })
      return toResult(name, await tool.handler(given, made))
    },
  })
}

/** Published and checked as it is: what is wrong with an option is found where the action is published. */
function toSchema(schema: object): AuthoredJsonSchema {
  // Options are JSON Schemas of any keywords, and the type of those that are written by hand knows only some.
  return schema as AuthoredJsonSchema
}

/** Its types have been seen to where it was defined, and its results may be anything. */
function toAction(options: CheckedActionOptions): ActionDeclaration {
  return { kind: "action", options }
}

/** A name that needs no say of ours, so that it gets its path in front of it where the agent is linked to. */
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
  return {
    input: typeof input["context"] === "string" ? input["context"] : "",
    options,
    services: await site.keeper.start(),
    signal,
    ...(principal && { principal }),
    progress,
    invoke: createInvoke(site, { context, progress, limits: definition.invoke ?? {} }),
  }
}

/** What the author handed back, as an action does: `fail(…)` goes on as it is. */
function toResult(name: string, returned: Awaited<AgentReturn>): unknown {
  if (returned === undefined) return undefined
  if ("result" in returned) return returned.result
  if ("ok" in returned) return returned
  throw new TypeError(`"${name}" returned an object without "result": expected { result } or nothing`)
}
