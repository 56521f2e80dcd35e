import type { JsonSchema } from "@x/tool-schemas"
import type { Observable } from "rxjs"
import type { Abortable } from "./calls/abortable.js"
import type { ExecuteContext, Questions } from "./execute-context.js"
import type { Failure, Outcome, Reply, ResourceBlock } from "./outcome.js"

/**
 * What an agent may see, do and reach in an application, each there only while the
 * application's condition holds. It knows no protocol: an adapter brings it to a model.
 */
export interface AgenticService {
  /** Names the service to people and in URIs; not required to be unique. */
  readonly name: string
  /** One or two sentences on what the service is for. */
  readonly description?: string
  /**
   * The author's identity for what the service stands for, such as the key of a document: equal ids are the same thing, in every
   * process and after a restart. Default: the service object itself. Compared, never shown to a model.
   */
  readonly id?: string
  /**
   * How it is used, in a paragraph for models. Adapters hand it on under the service's name, within bounds. May change as long as
   * the service lives; whoever connects is told what it is then.
   */
  readonly instructions?: string
  /** The live identity where the object outlives what it stands for. For libraries; wins over `id`. */
  readonly occupancy?: Occupancy
  /**
   * The states visible now. Emits the whole map on subscribe, as soon as it is known, then on every change; equal maps are
   * silent.
   */
  readonly states: Observable<States>
  /** The actions callable now. Emits as {@link AgenticService.states} does. */
  readonly actions: Observable<Actions>
  /** The services reachable now. Emits as {@link AgenticService.states} does. */
  readonly links: Observable<Links>
  /** Every member that can ever be visible, with the reason while it is not. Empty for a service that cannot know. */
  readonly declared: Declared
  /**
   * Members whose source, schema or definition failed, as it happens while a map is subscribed, and actions that
   * threw. Subscribe it before the maps: nothing is kept for later. Never errors, never completes.
   */
  readonly failures: Observable<MemberFailure>
  /** Where its work can be done in several places, such as the tabs of an application. Default: there is one. */
  readonly targets?: Targets
  /**
   * Runs one action through the path every caller takes: availability, input check, then the action.
   * Never rejects: whatever goes wrong is an {@link Outcome} with `ok: false`. Where a foreign action asks in the middle,
   * the reply is an {@link Ask} instead.
   *
   * @param action - The action's key; unknown or hidden keys answer `not_available`.
   * @param input - The action's input, checked here.
   * @param context - Cancellation, progress and caller; defaults to a context that can never abort.
   */
  execute(action: string, input: unknown, context?: ExecuteContext): Promise<Reply>
  /** Completes the maps and lets go of every source; idempotent. Running actions are not stopped. */
  close(): void
}

/**
 * The live identity of a service whose object outlives what it stands for, such as the mirror of whichever tab is in front.
 * Made by libraries; authors give an `id` instead.
 */
export interface Occupancy {
  /** Returns the thing that the service stands for now, an opaque text that is only compared. Must not throw. */
  current(): string
  /** Emits, synchronously, after each change of {@link Occupancy.current}. Never errors. */
  readonly changes: Observable<unknown>
}

/** A service that its own application made: its actions declare their questions, so each call comes to an outcome at once. */
export interface OwnService extends AgenticService {
  /** See {@link AgenticService.execute}. */
  execute(action: string, input: unknown, context?: ExecuteContext): Promise<Outcome>
}

/**
 * Several places of which each could stand for a service, such as the tabs of an application: its maps are those of the one in
 * front, and what the others show and do is found here.
 */
export interface Targets {
  /**
   * The keys of those that are worth a choice: none as long as they are alike, or there is but one. Emits on subscribe, then on
   * every change; never errors.
   */
  readonly keys: Observable<readonly string[]>
  /** Finds one that is there, whether there is a choice or not. */
  find(key: string): Target | undefined
}

/** One of several places that could stand for a service. */
export interface Target {
  /** What people know it by, such as the title of a page; says who made the service. */
  readonly title: string
  /** Whether the maps of the service are its own now. */
  readonly isFront: boolean
  /** The identity of what it stands for, of the service that those links lead to; `undefined` where nothing is there. */
  thing?(path: readonly string[]): string | undefined
  /** An action that can be called in it now, by its key and the links from the service to where it is; the same one as long as it is. */
  action(path: readonly string[], key: string): Action | undefined
  /** The states that it shows now, of the service that those links lead to. */
  states(path: readonly string[]): States | undefined
}

/** States by key. */
export type States = Readonly<Record<string, State>>
/** Actions by key. */
export type Actions = Readonly<Record<string, Action>>
/** Links by key. */
export type Links = Readonly<Record<string, Link>>

/** What is fixed about a state while its value moves. */
export interface StateDefinition {
  /** A short name for people. */
  readonly title?: string
  /** What the state tells an agent. */
  readonly description?: string
  /** JSON Schema of the value. */
  readonly schema: JsonSchema
  /** Media type of the value where it is not JSON, such as `text/markdown` or `image/png`. */
  readonly mediaType?: string
  /** The URI it has where it comes from: adapters read and watch it by that one as well as by their own. */
  readonly uri?: string
}

/** A state that is visible now. A new object means a new value; the same object means nothing happened. */
export interface State extends StateDefinition {
  /** The newest value: anything, including bytes (`Uint8Array`, `ArrayBuffer`); with a `remote`, what stands for it. */
  readonly value: unknown
  /** Where the value is held elsewhere, and fetched when somebody asks. */
  readonly remote?: RemoteValue
}

/** A value that is held elsewhere. The state's own `value` only stands for it: another one says that there is a newer value. */
export interface RemoteValue {
  /**
   * Fetches what is there now. Rejects where it cannot be had; the words of a `ServiceError` are meant for whoever asked.
   *
   * @returns Its parts, each with the URI it has there: a resource may consist of several.
   */
  read(context: Pick<ExecuteContext, "signal" | "principal" | "thing">): Promise<readonly ResourceBlock[]>
  /**
   * Says that somebody wants to hear of newer values; without that there may be none. Never throws.
   *
   * @returns Takes that back; idempotent.
   */
  watch(): () => void
}

/** What is fixed about an action. */
export interface ActionDefinition {
  /** A short name for people. */
  readonly title?: string
  /** What the action does, for the model that chooses it. */
  readonly description: string
  /** JSON Schema of the input; `undefined` when the action takes none. */
  readonly schema: JsonSchema | undefined
  /** JSON Schema of a successful value, where one is promised. */
  readonly output?: JsonSchema
  /** What a caller may assume about running it. */
  readonly hints: Hints
  /** What is said of it to programs, never to models, as plain JSON by namespaced key; MCP's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>
  /**
   * Further members of the definition that it has where it comes from, such as MCP's `icons` and `execution`, as plain JSON. An
   * adapter tells them as they are, beside those that it makes itself, which win.
   */
  readonly further?: Readonly<Record<string, unknown>>
  /** A name to publish instead of the one made from path and key; must be unique across the graph. */
  readonly toolName?: string
  /** How long it may run, in milliseconds, before it is told to stop; whoever calls decides where it is absent. */
  readonly timeoutMs?: number
  /**
   * How long it may be silent once it has reported progress, in milliseconds, before it is told to stop. Where it is absent,
   * whoever calls decides, unless there is a `timeoutMs`: that one counts alone then.
   */
  readonly idleMs?: number
}

/** An action that is callable now. */
export interface Action extends ActionDefinition {
  /**
   * Checks input without running anything.
   *
   * @returns The typed input that {@link Action.execute} takes, or what is wrong with it and where. Never throws.
   */
  check(input: unknown): Checked | Promise<Checked>
  /** The question a person must accept before the action runs, as a function of the checked input. */
  readonly confirm?: (input: unknown) => string
  /** Questions whose answers the action needs, as a function of the checked input. */
  readonly ask?: (input: unknown) => Questions
  /**
   * Runs the action on checked input. Never rejects. Does not look at the condition again: callers look
   * the action up in the live map, or go through {@link AgenticService.execute}.
   */
  execute(input: unknown, context: ExecuteContext): Promise<Reply>
}

/** What is fixed about a link. */
export interface LinkDefinition {
  /** Why an agent would follow the link. */
  readonly description?: string
}

/** A service reachable now. */
export interface Link extends LinkDefinition {
  /** The service at the other end. */
  readonly service: AgenticService
  /** Whether the link always leads to that service. Absent where another may take its place. */
  readonly fixed?: true
}

/** Behaviour hints in MCP's sense (tool annotations, 2025-03-26 and later): advice, never a promise. */
export interface Hints {
  /** Changes nothing. Default `false`. */
  readonly readOnly?: boolean
  /**
   * May destroy something. Default `false` in a service that is written here (MCP's own default is `true`, so adapters publish
   * it); `undefined`, given explicitly, is that nobody knows, and as with foreign services nothing is published.
   */
  readonly destructive?: boolean | undefined
  /** Running it twice with the same input is the same as once. Default `false`. */
  readonly idempotent?: boolean
  /** Reaches beyond the application. Default unstated. */
  readonly openWorld?: boolean
}

/** Every member a service can ever show. */
export interface Declared {
  /** All states, visible or not. */
  readonly states: Readonly<Record<string, DeclaredMember<StateDefinition>>>
  /** All actions, callable or not. */
  readonly actions: Readonly<Record<string, DeclaredMember<ActionDefinition>>>
  /** All links, reachable or not. */
  readonly links: Readonly<Record<string, DeclaredMember<LinkDefinition>>>
}

/** A member's definition, and why it is not visible. */
export interface DeclaredMember<Definition> {
  /** What the member is when it is there. */
  readonly definition: Definition
  /**
   * Why the member is not visible now, in the author's words (`when.otherwise`) where given;
   * `undefined` while it is visible, or while nobody is subscribed and so nobody knows.
   */
  unavailable(): string | undefined
  /**
   * Tries to bring the member back, such as by connecting to its server again. Resolves once it is known whether that worked, or
   * `signal` aborts; never rejects. Absent if nothing can be tried.
   */
  revive?(signal: Abortable): Promise<void>
  /** Whether it has a condition, so that it may come and go. Absent where it is always there. */
  readonly conditional?: true
}

/** A member that cannot be shown because something about it is broken, or an action that threw or broke its output. */
export interface MemberFailure {
  /** Which map it belongs to. */
  readonly kind: "state" | "action" | "link"
  /** Its key; absent when the whole map failed. */
  readonly key?: string
  /** What was thrown or found; for logs, never for clients. */
  readonly cause: unknown
  /** The id its caller was given, as `action failed (id)`; only where an action threw. */
  readonly id?: string
}

/** Checked input, or the issues found. */
export type Checked = Accepted | Refused

/** Input that fits. */
export interface Accepted {
  /** Tells the two apart. */
  readonly ok: true
  /** The input as an action's `execute` takes it: for a Standard Schema what its own check hands out. */
  readonly input: unknown
}

/** Input that does not fit. */
export interface Refused {
  /** Tells the two apart. */
  readonly ok: false
  /** What is wrong, at most twenty of it. */
  readonly issues: readonly Issue[]
  /** What the call answers where the input is not at fault, such as that the service could not be reached. Default: the issues. */
  readonly failure?: Failure
}

/** One thing wrong with an input. */
export interface Issue {
  /** Where, as a path of property names and indices from the root of the input; empty for the root. */
  readonly path: readonly (string | number)[]
  /** What was found and what was expected. */
  readonly message: string
}
