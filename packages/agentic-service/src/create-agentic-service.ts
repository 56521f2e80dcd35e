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
  /** Names the service to people and in URIs; not required to be unique. */
  readonly name: string
  /** One or two sentences on what the service is for. */
  readonly description?: string
  /**
   * The identity of what the service stands for, such as the key of a document: equal ids are the same thing, in every process
   * and after a restart. Consent that a person gave for one thing never runs on another. Default: the service object itself.
   */
  readonly id?: string
  /**
   * The errors of your own whose message is for the caller: their classes, or a function that returns `fail(…)` for what was
   * thrown, or nothing. An error of a class becomes a failure with its `message` and, where they are texts, its `code` and
   * `recovery`. Default: none; what is thrown is reported, and the caller reads "action failed" with an id.
   */
  readonly errors?: OwnErrors
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
  create(declaration: Declaration, key: string): DefinedMember<Item, Definition>
  /** The conditions of the whole service. */
  readonly conditions: Conditions
  /** Is told of every member that fails. */
  readonly report: Report
}

/** Makes all declared members of one kind. One that cannot be made is left out and reported; the others are served. */
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

/** A member that cannot be made: reported whenever the map is followed, for nobody may have listened when it was declared. */
function broken(cause: unknown): Member<never> {
  return {
    follow(sink) {
      sink.fail(cause)
      return still
    },
  }
}

/** A declared member, ready to be followed. */
interface DefinedMember<Item, Definition> extends Member<Item> {
  /** What the member is when it is there. */
  readonly definition: Definition
}

/** Makes a declared state into one that can be followed. */
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

/** Makes a declared action into one that can be followed; it is the same object whenever it is there. */
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

/** Makes a declared link into one that can be followed. */
function createLinkMember({ options }: LinkDeclaration, key: string): DefinedMember<Link, LinkDefinition> {
  const { description, when } = options
  const definition: LinkDefinition = description === undefined ? {} : { description }
  const service = "createService" in options ? options.createService(key) : options.service
  // Nothing can replace a service that stands there itself.
  const fixed = isConstant(service) ? ({ fixed: true } as const) : {}
  let last: Link | undefined

  const toPresence = (newest: AgenticService | null | undefined): Presence<Link> => {
    if (newest === null || newest === undefined) return absent("there is nothing to link to now")
    const target = toAgenticService(newest)
    if (last?.service !== target) last = { ...definition, ...fixed, service: target }
    return { visible: true, item: last }
  }
  const follow = (sink: Sink<Presence<Link>>): Following =>
    followSource(service, { ...sink, next: (newest) => sink.next(toPresence(newest)) })
  return { definition, when, follow }
}
