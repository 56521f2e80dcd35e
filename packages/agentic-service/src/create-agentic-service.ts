import { assembleService } from "./assemble-service.js"
import { type ActionSite, createAction, expectType } from "./calls/declared-action.js"
import type { Callable } from "./calls/execute-action.js"
import { createToFailure, type OwnErrors } from "./calls/own-errors.js"
import { exportSchema } from "./checks/export-schema.js"
import type { ActionDeclaration, LinkDeclaration, StateDeclaration } from "./declare.js"
import { toAgenticService } from "./foreign/to-agentic-service.js"
import { type Conditions, createConditions } from "./maps/conditions.js"
import { createLiveMap, emptyEntries, isUnchanged, type LiveMap } from "./maps/live-map.js"
import { absent, createMemberFeed, type Member, type Presence } from "./maps/member-feed.js"
import type { Outcome } from "./outcome.js"
import { createFailures, type Report } from "./report.js"
import type {
  ActionDefinition,
  AgenticService,
  DeclaredMember,
  Link,
  LinkDefinition,
  MemberFailure,
  OwnService,
  State,
  StateDefinition,
} from "./service.js"
import { ServiceError } from "./service-error.js"
import { type Following, followSource, type Sink, still } from "./sources/follow-source.js"
import { isConstant } from "./sources/recognise-source.js"
import { refuseInside } from "./sources/refuse-inside.js"

/** A service as its author writes it: every member once, under its key. */
export interface ServiceDefinition {
  /** The service's name, for people and URIs; need not be unique. */
  readonly name: string
  /** One or two sentences about the service's purpose. */
  readonly description?: string
  /**
   * The identity of the service's content, such as a document's key. Equal ids are the same instance, in every process and
   * after a restart. A person's consent for one instance never applies to another. Default: the service object itself.
   */
  readonly id?: string
  /**
   * Your own errors whose message is for the caller: their classes, or a function that returns `fail(…)` for a thrown value, or
   * nothing. An error of such a class becomes a failure with its `message`, and its `code` and `recovery` if they are strings.
   * Default: none; thrown values are reported, and the caller reads "action failed" with an id.
   */
  readonly errors?: OwnErrors
  /** States that an agent may see. */
  readonly states?: Readonly<Record<string, StateDeclaration>>
  /** Actions that an agent may call. */
  readonly actions?: Readonly<Record<string, ActionDeclaration>>
  /** Links that an agent may follow. */
  readonly links?: Readonly<Record<string, LinkDeclaration>>
}

/**
 * Creates a service from an application's declarations. Sources are subscribed to with the first subscriber of a map, and
 * released with the last.
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
  const { name, description, id } = definition
  if (id !== undefined) expectType(id, "string", "id")
  const { failures, report } = createFailures()
  const toFailure = createToFailure(definition.errors)
  const conditions = createConditions()
  const states = createMembers(definition.states, { kind: "state", create: createStateMember, conditions, report })
  const actions = createMembers(definition.actions, {
    kind: "action",
    create: (declared, key) => createActionMember(key, declared, { report, toFailure }),
    conditions,
    report,
  })
  const links = createMembers(definition.links, { kind: "link", create: createLinkMember, conditions, report })
  const declared = { states: states.declared, actions: actions.declared, links: links.declared }

  return assembleService({ name, description, id, states, actions, links, declared, failures })
}

/** All members of one kind: the map of visible ones, and all declarations. */
interface Members<Item, Definition> extends LiveMap<Item> {
  /** Every possible member. */
  readonly declared: Readonly<Record<string, DeclaredMember<Definition>>>
}

/** Properties that all members of one kind share. */
interface MemberKind<Declaration, Item, Definition> {
  /** The kind. */
  readonly kind: MemberFailure["kind"]
  /** Creates a member. If it throws, the member never appears. */
  create(declaration: Declaration, key: string): DefinedMember<Item, Definition>
  /** The conditions of the whole service. */
  readonly conditions: Conditions
  /** Reports failing members. */
  readonly report: Report
}

/** Creates all declared members of one kind. A failing one is left out and reported; others are served. */
function createMembers<Declaration, Item, Definition>(
  declarations: Readonly<Record<string, Declaration>> | undefined,
  { kind, create, conditions, report }: MemberKind<Declaration, Item, Definition>,
): Members<Item, Definition> {
  const members = new Map<string, Member<Item>>()
  const declared = emptyEntries<DeclaredMember<Definition>>()
  for (const [key, declaration] of Object.entries(declarations ?? {})) {
    try {
      const { definition, ...member } = create(declaration, key)
      members.set(key, member)
      declared[key] = {
        definition,
        unavailable: () => feed.reason(key),
        ...(member.when !== undefined && { conditional: true }),
      }
    } catch (cause) {
      members.set(key, broken(cause))
    }
  }
  const feed = createMemberFeed(members, { conditions, failed: (key, cause) => report({ kind, key, cause }) })
  return { ...createLiveMap(feed), declared }
}

/**
 * Creates the placeholder of a failed member, which reports on every subscription, because nobody may have listened at
 * declaration.
 */
function broken(cause: unknown): Member<never> {
  return {
    follow(sink) {
      sink.fail(cause)
      return still
    },
  }
}

/** A declared member that can be followed. */
interface DefinedMember<Item, Definition> extends Member<Item> {
  /** The member's definition. */
  readonly definition: Definition
}

/** Creates a declared state that can be followed. */
function createStateMember({ options }: StateDeclaration): DefinedMember<State, StateDefinition> {
  const { description, mediaType, schema, value, when } = options
  if (schema === undefined && mediaType === undefined) {
    throw new ServiceError('found neither a "schema" nor a "mediaType"', { code: "invalid_definition" })
  }
  if (schema === undefined) expectType(mediaType, "string", "mediaType")
  const definition: StateDefinition = {
    ...(description === undefined ? {} : { description }),
    ...(mediaType === undefined ? {} : { mediaType }),
    schema: schema === undefined ? { contentMediaType: mediaType } : exportSchema(schema, "output"),
  }
  let last: State | undefined

  const toItem = (newest: unknown): State => {
    if (last && isUnchanged(last.value, newest)) return last
    last = { value: newest, ...definition }
    return last
  }
  const isFixed = isConstant(value)
  const next = (newest: unknown): Presence<State> => {
    if (isFixed) refuseInside(newest)
    return { visible: true, item: toItem(newest) }
  }
  const follow = (sink: Sink<Presence<State>>): Following =>
    followSource<unknown>(value, { ...sink, next: (newest) => sink.next(next(newest)) })
  return { definition, when, follow }
}

/** Creates a declared action that can be followed. It is the same object whenever visible. */
function createActionMember(
  key: string,
  { options }: ActionDeclaration,
  site: ActionSite,
): DefinedMember<Callable<Outcome>, ActionDefinition> {
  const action = createAction(key, options, site)
  const { check: _check, confirm: _confirm, ask: _ask, execute: _execute, ...definition } = action
  const follow = (sink: Sink<Presence<Callable<Outcome>>>): Following => {
    sink.next({ visible: true, item: action })
    return still
  }
  return { definition, when: options.when, follow }
}

/** Creates a declared link that can be followed. */
function createLinkMember({ options }: LinkDeclaration, key: string): DefinedMember<Link, LinkDefinition> {
  const { description, when } = options
  const definition: LinkDefinition = description === undefined ? {} : { description }
  const service = "createService" in options ? options.createService(key) : options.service
  // A service given directly can never be replaced.
  const fixed = isConstant(service) ? ({ fixed: true } as const) : {}
  let last: Link | undefined

  const toPresence = (newest: AgenticService | null | undefined): Presence<Link> => {
    if (newest === null || newest === undefined) return absent("it has no service at the moment")
    const target = toAgenticService(newest)
    if (last?.service !== target) last = { ...definition, ...fixed, service: target }
    return { visible: true, item: last }
  }
  const follow = (sink: Sink<Presence<Link>>): Following =>
    followSource(service, { ...sink, next: (newest) => sink.next(toPresence(newest)) })
  return { definition, when, follow }
}
