import type { JsonSchema } from "@x/tool-schemas"
import type { Observable } from "rxjs"
import type { Abortable } from "./calls/abortable.js"
import type { ExecuteContext, Questions } from "./execute-context.js"
import type { Failure, Outcome, Reply, ResourceBlock } from "./outcome.js"

/**
 * An application's states, actions and links for an agent, each visible only while the application's condition holds. It knows
 * no protocol: an adapter brings it to a model.
 */
export interface AgenticService {
  /** The service's name, for people and URIs; need not be unique. */
  readonly name: string
  /** One or two sentences about the service's purpose. */
  readonly description?: string
  /**
   * The author's identity of the service's content, such as a document's key. Equal ids are the same instance, in every process
   * and after a restart. Default: the service object itself. Compared, never shown to a model.
   */
  readonly id?: string
  /**
   * Instructions for models, in a paragraph. Adapters forward them under the service's name, within limits. They may change
   * during the service's life; a connecting client gets the current ones.
   */
  readonly instructions?: string
  /** The live identity, for an object whose content is replaced. For libraries; it overrides `id`. */
  readonly occupancy?: Occupancy
  /**
   * The visible states. Emits the whole map on subscribe, as soon as it is known, then on every change; equal maps are not
   * emitted again.
   */
  readonly states: Observable<States>
  /** The callable actions. Emits like {@link AgenticService.states}. */
  readonly actions: Observable<Actions>
  /** The reachable services. Emits like {@link AgenticService.states}. */
  readonly links: Observable<Links>
  /** Every possible member, with the reason while it is absent. Empty for a service that cannot know. */
  readonly declared: Declared
  /**
   * Failures of members whose source, schema or definition is broken, while a map is subscribed to, and of actions that threw.
   * Subscribe to it before the maps, because earlier failures are not kept. Never errors, never completes.
   */
  readonly failures: Observable<MemberFailure>
  /** The places where its work can be done, such as an application's tabs. Default: a single place. */
  readonly targets?: Targets
  /**
   * Runs one action as for every caller: availability, input check, then the action. Never rejects: every problem is an
   * {@link Outcome} with `ok: false`. If a foreign action asks while it runs, the reply is an {@link Ask}.
   *
   * @param action - The action's key; unknown or hidden keys answer `not_available`.
   * @param input - The unchecked input.
   * @param context - Cancellation, progress and caller. Default: a context that never aborts.
   */
  execute(action: string, input: unknown, context?: ExecuteContext): Promise<Reply>
  /** Completes the maps and releases every source. Idempotent. Running actions are not stopped. */
  close(): void
}

/**
 * The live identity of a service whose object outlives its content, such as the mirror of the front tab. Created by libraries;
 * authors give an `id` instead.
 */
export interface Occupancy {
  /** Returns the current identity, an opaque text that is only compared. Must not throw. */
  current(): string
  /** Emits, synchronously, after each change of {@link Occupancy.current}. Never errors. */
  readonly changes: Observable<unknown>
}

/** A service of its own application: its actions declare their questions, so each call returns an outcome directly. */
export interface OwnService extends AgenticService {
  /** See {@link AgenticService.execute}. */
  execute(action: string, input: unknown, context?: ExecuteContext): Promise<Outcome>
}

/**
 * Several places that can each stand for a service, such as an application's tabs. The service's maps belong to the front one;
 * the others' members are found here.
 */
export interface Targets {
  /**
   * The keys of the targets when there is a choice; empty while all are alike, or only one exists. Emits on subscribe, then on
   * every change; never errors.
   */
  readonly keys: Observable<readonly string[]>
  /** Finds a present target, even without a choice. */
  find(key: string): Target | undefined
}

/** One of several places that can stand for a service. */
export interface Target {
  /** The display name, such as a page's title, from the application. */
  readonly title: string
  /** Whether the service's maps are its own now. */
  readonly isFront: boolean
  /** Returns the identity of the service at a path. Returns `undefined` without one. */
  thing?(path: readonly string[]): string | undefined
  /** Returns a callable action by key and path; the same object while it stays. */
  action(path: readonly string[], key: string): Action | undefined
  /** Returns the visible states of the service at a path. */
  states(path: readonly string[]): States | undefined
}

/** States by key. */
export type States = Readonly<Record<string, State>>
/** Actions by key. */
export type Actions = Readonly<Record<string, Action>>
/** Links by key. */
export type Links = Readonly<Record<string, Link>>

/** The fixed properties of a state, apart from its value. */
export interface StateDefinition {
  /** A short name for people. */
  readonly title?: string
  /** The state's meaning, for an agent. */
  readonly description?: string
  /** JSON Schema of the value. */
  readonly schema: JsonSchema
  /** The media type of a value other than JSON, such as `text/markdown` or `image/png`. */
  readonly mediaType?: string
  /** The URI at its origin. Adapters read and watch the state by it as well as by their own. */
  readonly uri?: string
}

/** A visible state. A new object means a new value; the same object means no change. */
export interface State extends StateDefinition {
  /** The newest value, bytes included (`Uint8Array`, `ArrayBuffer`). With a `remote`, only a placeholder. */
  readonly value: unknown
  /** Access to a remote value, fetched on demand. */
  readonly remote?: RemoteValue
}

/** Access to a remote value. The state's own `value` is only a placeholder: a new placeholder announces a newer value. */
export interface RemoteValue {
  /**
   * Fetches the current value. Rejects when it is unavailable; a `ServiceError`'s message is for the caller.
   *
   * @returns Its parts, each with its remote URI, since a resource may have several.
   */
  read(context: Pick<ExecuteContext, "signal" | "principal" | "thing">): Promise<readonly ResourceBlock[]>
  /**
   * Starts watching for newer values, which may not be announced otherwise. Never throws.
   *
   * @returns A function that stops; idempotent.
   */
  watch(): () => void
}

/** The fixed properties of an action. */
export interface ActionDefinition {
  /** A short name for people. */
  readonly title?: string
  /** The action's effect, which helps models choose. */
  readonly description: string
  /** JSON Schema of the input; `undefined` without input. */
  readonly schema: JsonSchema | undefined
  /** JSON Schema of a successful value, if promised. */
  readonly output?: JsonSchema
  /** Assumptions that a caller may make about a run. */
  readonly hints: Hints
  /** Metadata for programs, never for models, as plain JSON by namespaced key; MCP's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>
  /**
   * Further members of its original definition, such as MCP's `icons` and `execution`, as plain JSON. An adapter publishes them
   * unchanged, beside its own members, which win.
   */
  readonly further?: Readonly<Record<string, unknown>>
  /** The published name instead of one made from path and key; must be unique across the graph. */
  readonly toolName?: string
  /** Milliseconds that the action may run before it is told to stop. Default: the caller decides. */
  readonly timeoutMs?: number
  /**
   * Milliseconds that the action may be silent after it has reported progress, before it is told to stop. Default: only
   * `timeoutMs` counts if given, else the caller decides.
   */
  readonly idleMs?: number
  /** Whether the work may outlast the caller's request, and for how long. Default: the caller waits. */
  readonly long?: true | LongWork
}

/** How work outlasts its request. */
export interface LongWork {
  /** How long the work may take and its result is kept, in milliseconds from the call. Default: the caller decides. */
  readonly ttlMs?: number
  /**
   * Whether only clients that take tasks themselves get one. Any other client waits for the end, so the action's definition is
   * published as if it were not long. Default: any client may get a handle.
   */
  readonly tasksOnly?: true
}

/** An action that is callable now. */
export interface Action extends ActionDefinition {
  /**
   * Checks input without running the action.
   *
   * @returns The typed input for {@link Action.execute}, or the issues with their places. Never throws.
   */
  check(input: unknown): Checked | Promise<Checked>
  /** Returns the question that a person must accept before the action runs. */
  readonly confirm?: (input: unknown) => string
  /** Returns questions whose answers the action needs. */
  readonly ask?: (input: unknown) => Questions
  /**
   * Runs the action on checked input. Never rejects. Does not check the condition again: callers look up the action in the live
   * map, or use {@link AgenticService.execute}.
   */
  execute(input: unknown, context: ExecuteContext): Promise<Reply>
}

/** The fixed properties of a link. */
export interface LinkDefinition {
  /** The reason why agents would follow the link. */
  readonly description?: string
}

/** A reachable service. */
export interface Link extends LinkDefinition {
  /** The linked service. */
  readonly service: AgenticService
  /** Whether the link always leads to that service. Absent if another may replace it. */
  readonly fixed?: true
}

/** Hints about behaviour, as in MCP (tool annotations, 2025-03-26 and later): advice, never a promise. */
export interface Hints {
  /** Whether the action changes nothing. Default `false`. */
  readonly readOnly?: boolean
  /**
   * Whether the action may destroy something. Default `false` in services written here (MCP's own default is `true`, so
   * adapters publish it). An explicit `undefined` means unknown, and like for foreign services nothing is published.
   */
  readonly destructive?: boolean | undefined
  /** Whether repeating a run with the same input has no further effect. Default `false`. */
  readonly idempotent?: boolean
  /** Whether the action reaches beyond the application. Default: unstated. */
  readonly openWorld?: boolean
}

/** Every possible member of a service. */
export interface Declared {
  /** All states, visible or not. */
  readonly states: Readonly<Record<string, DeclaredMember<StateDefinition>>>
  /** All actions, callable or not. */
  readonly actions: Readonly<Record<string, DeclaredMember<ActionDefinition>>>
  /** All links, reachable or not. */
  readonly links: Readonly<Record<string, DeclaredMember<LinkDefinition>>>
}

/** A member's definition, and why it is absent. */
export interface DeclaredMember<Definition> {
  /** The member's definition. */
  readonly definition: Definition
  /**
   * Returns why the member is absent, in the author's words (`when.otherwise`) if given. Returns `undefined` while it is
   * visible, or while nobody is subscribed, so that its state is unknown.
   */
  unavailable(): string | undefined
  /**
   * Tries to bring the member back, such as by reconnecting to its server. Resolves once the attempt has ended, or `signal`
   * aborts; never rejects. Absent when there is no way to try.
   */
  revive?(signal: Abortable): Promise<void>
  /** Whether it has a condition, so that it may come and go. Absent for permanent members. */
  readonly conditional?: true
}

/** The failure of a broken member, or of an action that threw or returned an invalid value. */
export interface MemberFailure {
  /** The kind of member. */
  readonly kind: "state" | "action" | "link"
  /** The member's key; absent when the whole map failed. */
  readonly key?: string
  /** The thrown or invalid value; for logs, never for clients. */
  readonly cause: unknown
  /** The id in the caller's message `action failed (id)`; only if an action threw. */
  readonly id?: string
}

/** Checked input, or the issues found. */
export type Checked = Accepted | Refused

/** Input that fits. */
export interface Accepted {
  /** The discriminant. */
  readonly ok: true
  /** The input for an action's `execute`: for a Standard Schema its own check's output. */
  readonly input: unknown
}

/** Input that does not fit. */
export interface Refused {
  /** The discriminant. */
  readonly ok: false
  /** The issues, at most twenty. */
  readonly issues: readonly Issue[]
  /** The call's failure when the input is not at fault, such as an unreachable service. Default: the issues. */
  readonly failure?: Failure
}

/** One issue of an input. */
export interface Issue {
  /** The place, as property names and indices from the input's root; empty for the root. */
  readonly path: readonly (string | number)[]
  /** The found and the expected value. */
  readonly message: string
}
