import { map, type Observable, of, throwError } from "rxjs"
import { assembleService } from "./assemble-service.js"
import type { Callable } from "./calls/execute-action.js"
import { runAction } from "./calls/run-action.js"
import { createCheck, createOutputCheck } from "./checks/create-check.js"
import { exportSchema } from "./checks/export-schema.js"
import type { ActionDeclaration, CheckedActionOptions, LinkDeclaration, StateDeclaration } from "./declare.js"
import { toAgenticService } from "./foreign/to-agentic-service.js"
import { createLiveMap, emptyEntries, isUnchanged, type LiveMap } from "./maps/live-map.js"
import { absent, createMemberFeed, type Presence, watchPresence } from "./maps/member-feed.js"
import type { Outcome } from "./outcome.js"
import { createFailures, type Report } from "./report.js"
import type {
  ActionDefinition,
  AgenticService,
  DeclaredMember,
  Hints,
  Link,
  LinkDefinition,
  MemberFailure,
  OwnService,
  State,
  StateDefinition,
} from "./service.js"
import { ServiceError } from "./service-error.js"
import { toObservable } from "./sources/to-observable.js"

/** A service as its author writes it: every member once, under its key. */
export interface ServiceDefinition {
  /** Names the service to people and in URIs; not required to be unique. */
  readonly name: string
  /** One or two sentences on what the service is for. */
  readonly description?: string
  /** What an agent may see. */
  readonly states?: Readonly<Record<string, StateDeclaration>>
  /** What an agent may do. */
  readonly actions?: Readonly<Record<string, ActionDeclaration>>
  /** What an agent may reach. */
  readonly links?: Readonly<Record<string, LinkDeclaration>>
}

/**
 * Makes a service of what an application declares. Nothing is subscribed before somebody subscribes
 * one of its maps, and everything is let go with the last subscriber.
 *
 * @example
 * ```ts
 * import { action, createAgenticService, state } from "@x/agentic-service"
 * import { BehaviorSubject, map } from "rxjs"
 *
 * const count = new BehaviorSubject(0)
 * const counter = createAgenticService({
 *   name: "counter",
 *   states: { count: state({ description: "How many", schema: { type: "integer" }, value: count }) },
 *   actions: {
 *     add: action({ description: "Add one", execute: () => count.next(count.value + 1) }),
 *     reset: action({
 *       description: "Start again",
 *       when: { is: count.pipe(map((n) => n > 0)), otherwise: "it stands at 0" },
 *       execute: () => count.next(0),
 *     }),
 *   },
 * })
 * await counter.execute("add", {})
 * counter.actions.subscribe((actions) => console.log(Object.keys(actions))) // [ "add", "reset" ]
 * ```
 */
export function createAgenticService(definition: ServiceDefinition): OwnService {
  const { name, description } = definition
  const { failures, report } = createFailures()
  const states = createMembers(definition.states, {
    kind: "state",
    create: (_, declared) => createStateMember(declared),
    report,
  })
  const actions = createMembers(definition.actions, {
    kind: "action",
    create: (key, declared) => createActionMember(key, declared, report),
    report,
  })
  const links = createMembers(definition.links, { kind: "link", create: createLinkMember, report })
  const declared = { states: states.declared, actions: actions.declared, links: links.declared }

  return assembleService({ name, description, states, actions, links, declared, failures })
}

/** All members of one kind: the map of those that are there, and what is known of all. */
interface Members<Item, Definition> extends LiveMap<Item> {
  /** Every member that can ever be there. */
  readonly declared: Readonly<Record<string, DeclaredMember<Definition>>>
}

/** What the members of one kind have in common. */
interface MemberKind<Declaration, Item, Definition> {
  /** Which kind. */
  readonly kind: MemberFailure["kind"]
  /** Makes one; may throw, and then this member is never there. */
  create(key: string, declaration: Declaration): Member<Item, Definition>
  /** Is told of every member that fails. */
  readonly report: Report
}

/** Makes all declared members of one kind. One that cannot be made is left out and reported; the others are served. */
function createMembers<Declaration, Item, Definition>(
  declarations: Readonly<Record<string, Declaration>> | undefined,
  { kind, create, report }: MemberKind<Declaration, Item, Definition>,
): Members<Item, Definition> {
  const presences = new Map<string, Observable<Presence<Item>>>()
  const declared = emptyEntries<DeclaredMember<Definition>>()
  const feed = createMemberFeed(presences, (key, cause) => report({ kind, key, cause }))

  for (const [key, declaration] of Object.entries(declarations ?? {})) {
    try {
      const { definition, presence } = create(key, declaration)
      presences.set(key, presence)
      declared[key] = { definition, unavailable: () => feed.reason(key) }
    } catch (cause) {
      presences.set(
        key,
        throwError(() => cause),
      )
    }
  }
  return { ...createLiveMap(feed), declared }
}

/** A declared member, ready to be followed. */
interface Member<Item, Definition> {
  /** What the member is when it is there. */
  readonly definition: Definition
  /** Whether it is there. */
  readonly presence: Observable<Presence<Item>>
}

/** Makes a declared state into one that can be followed. */
function createStateMember({ options }: StateDeclaration): Member<State, StateDefinition> {
  const { description, mediaType, schema, value, when } = options
  const definition: StateDefinition = {
    ...(description === undefined ? {} : { description }),
    ...(mediaType === undefined ? {} : { mediaType }),
    schema: schema === undefined ? { contentMediaType: mediaType } : exportSchema(schema, "output"),
  }
  let last: State | undefined

  const next = (newest: unknown): State => {
    if (last && isUnchanged(last.value, newest)) return last
    last = { ...definition, value: newest }
    return last
  }
  const items = toObservable(value).pipe(map((newest) => ({ visible: true, item: next(newest) }) as const))
  return { definition, presence: watchPresence(when, items) }
}

/** Makes a declared action into one that can be followed; it is the same object whenever it is there. */
function createActionMember(
  key: string,
  { options }: ActionDeclaration,
  report: Report,
): Member<Callable<Outcome>, ActionDefinition> {
  const action = createAction(key, options, report)
  const { check: _check, confirm: _confirm, ask: _ask, execute: _execute, ...definition } = action
  return { definition, presence: watchPresence(options.when, of({ visible: true, item: action })) }
}

/** Makes a declared link into one that can be followed. */
function createLinkMember(key: string, { options }: LinkDeclaration): Member<Link, LinkDefinition> {
  const { description, when } = options
  const definition: LinkDefinition = description === undefined ? {} : { description }
  const services = "createService" in options ? of(options.createService(key)) : toObservable(options.service)
  let last: Link | undefined

  const next = (service: AgenticService | null | undefined): Presence<Link> => {
    if (service === null || service === undefined) return absent("there is nothing to link to now")
    const target = toAgenticService(service)
    if (last?.service !== target) last = { ...definition, service: target }
    return { visible: true, item: last }
  }
  return { definition, presence: watchPresence(when, services.pipe(map(next))) }
}

/** Makes a declared action callable. Throws where it cannot be: no description, no `execute`, a schema that is none. */
function createAction(key: string, options: CheckedActionOptions, report: Report): Callable<Outcome> {
  const { confirm, ask } = options
  expectType(options.execute, "function", "execute")
  expectType(options.description, "string", "description")

  const checkOutput = options.output === undefined ? undefined : createOutputCheck(options.output)
  const asking = confirm !== undefined || ask !== undefined
  return {
    ...toDefinition(options),
    check: createCheck(options.input),
    ...(confirm === undefined ? {} : { confirm: (input) => confirm.call(options, input) }),
    ...(ask === undefined ? {} : { ask: (input) => ask.call(options, input) }),
    execute: (input, context) =>
      runAction(
        {
          key,
          unanswered: asking && context.confirmed !== true,
          report,
          checkOutput,
          run: () => options.execute(input, context),
        },
        context.signal,
      ),
  }
}

function toDefinition({
  title,
  description,
  input,
  output,
  toolName,
  timeoutMs,
  ...rest
}: CheckedActionOptions): ActionDefinition {
  return {
    ...(title === undefined ? {} : { title }),
    description,
    schema: input === undefined ? undefined : exportSchema(input, "input"),
    ...(output === undefined ? {} : { output: exportSchema(output, "output") }),
    hints: toHints(rest),
    ...(toolName === undefined ? {} : { toolName }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

function toHints({ readOnly, destructive, idempotent, openWorld }: Hints): Hints {
  return {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(openWorld === undefined ? {} : { openWorld }),
  }
}

function expectType(found: unknown, expected: string, name: string): void {
  if (typeof found === expected) return
  throw new ServiceError(`found ${typeof found} as "${name}", expected a ${expected}`, { code: "invalid_definition" })
}
