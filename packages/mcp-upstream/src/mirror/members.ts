import type { Action, RemoteValue, State } from "@x/agentic-service"
import type { Abortable, Actions, Declared, DeclaredMember, States } from "@x/agentic-service/adapter"
import equal from "fast-deep-equal"
import { type Observable, ReplaySubject } from "rxjs"
import type { ListKind } from "../definitions/list-all.js"
import { type Run, toAction, toTemplateAction } from "../definitions/to-action.js"
import type { Listed, UpstreamOptions } from "../upstream.js"

/** The actions and states made from a server's lists. */
export interface Members {
  /** The current actions; emits first after {@link Members.show} or {@link Members.hide}. */
  readonly actions: Observable<Actions>
  /** The current states. */
  readonly states: Observable<States>
  /** Every action listed so far, looked up by key. Enumerating it yields none, since a server declares nothing. */
  readonly declared: Declared
  /** Replaces the items of a list. */
  put(kind: ListKind, items: readonly Listed[]): void
  /** Returns the items of a list. */
  list(kind: ListKind): readonly Listed[]
  /** Announces a new value of a resource. @returns Whether the resource is a state. */
  updated(uri: string): boolean
  /** Announces gathered changes of values at once. */
  flush(): void
  /** Announces that every resource may have a new value. */
  allUpdated(): void
  /** Forgets the former server's members, since another server has taken its place. Equal definitions lead to new members. */
  replace(): void
  /** Returns an action that can be called now. */
  find(key: string): Action | undefined
  /** Shows the current members. */
  show(): void
  /** Hides all members. */
  hide(): void
  /** Completes the maps. */
  close(): void
}

/** Options of {@link createMembers}. */
export interface MembersOptions {
  /** Calls a tool. */
  readonly call: Run
  /** Reads the resource of a template's URI. */
  readonly readTemplate: Run
  /** Returns how to read and watch a resource of the current server. */
  remote(uri: string): RemoteValue
  /** Returns the current server's identity. */
  thing(): string
  /** Returns whether the current server may go on with calls as tasks. */
  long(): boolean
  /** How tools are named. */
  readonly naming: Pick<UpstreamOptions, "plainNames" | "rename">
  /** Returns the reason why an action is unavailable. */
  reason(key: string): string
  /** Tries to reconnect so that an action comes back. Resolves once that has succeeded or failed. */
  revive(signal: Abortable): Promise<void>
  /** Runs a function later. */
  after(milliseconds: number, callback: () => void): () => void
}

/** Creates the members of an upstream, empty and hidden. */
export function createMembers(options: MembersOptions): Members {
  const actions = createMap<Action>()
  const states = createMap<State>()
  const items = new Map<ListKind, readonly Listed[]>()
  const declared = { states: {}, actions: {}, links: {} }
  const revisions = createRevisions(options.after, () => renewStates())
  let made = createMaker(options)
  let visible = false

  const list = (kind: ListKind): readonly Listed[] => items.get(kind) ?? []
  const renewActions = (): void => {
    const next = made.actions(list("tools"), list("templates"))
    for (const [key, definition] of Object.entries(next)) {
      declare(declared.actions, key, {
        definition,
        unavailable: () => (actions.has(key) ? undefined : options.reason(key)),
        revive: options.revive,
        conditional: true,
      })
    }
    actions.put(visible ? next : {})
  }
  const renewStates = (): void => states.put(visible ? made.states(list("resources"), revisions.of) : {})
  const renew = (): void => {
    renewActions()
    renewStates()
  }
  return {
    actions: actions.observable,
    states: states.observable,
    declared,
    list,
    put(kind, found) {
      items.set(kind, found)
      if (kind === "resources") revisions.know(found.map(({ uri }) => String(uri)))
      if (!visible) return
      if (kind === "resources") renewStates()
      else renewActions()
    },
    updated: revisions.raise,
    flush: revisions.flush,
    allUpdated: revisions.raiseAll,
    replace() {
      items.clear()
      made = createMaker(options)
    },
    find: actions.find,
    show() {
      visible = true
      renew()
    },
    hide() {
      visible = false
      renew()
    },
    close() {
      revisions.close()
      actions.close()
      states.close()
    },
  }
}

/** Counts the values of each resource. Gathers changes, so that a server that floods causes few notices. */
function createRevisions(after: MembersOptions["after"], raised: () => void) {
  const revisions = new Map<string, number>()
  let known: ReadonlySet<string> = new Set()
  let cancel: (() => void) | undefined
  const raise = (): void => {
    cancel = undefined
    raised()
  }
  const plan = (): void => {
    cancel ??= after(RAISE_MS, raise)
  }
  const count = (uri: string): void => void revisions.set(uri, (revisions.get(uri) ?? 0) + 1)
  return {
    of: (uri: string): number => revisions.get(uri) ?? 0,
    know(uris: readonly string[]): void {
      known = new Set(uris)
      for (const uri of revisions.keys()) if (!known.has(uri)) revisions.delete(uri)
    },
    raise(uri: string): boolean {
      if (!known.has(uri)) return false
      count(uri)
      plan()
      return true
    },
    raiseAll(): void {
      for (const uri of known) count(uri)
      plan()
    },
    flush(): void {
      if (cancel === undefined) return
      cancel()
      raise()
    },
    close: (): void => cancel?.(),
  }
}

/** How long changes of values are gathered before they are announced, in milliseconds. */
const RAISE_MS = 5

/** Declares a member that is found by key but not enumerated: a foreign server's members are unknown before it lists. */
function declare(map: object, key: string, member: DeclaredMember<Action>): void {
  Object.defineProperty(map, key, { value: member, enumerable: false, configurable: true })
}

/** Creates a map that emits nothing before the first put, and skips equal values. */
function createMap<Item>() {
  const subject = new ReplaySubject<Readonly<Record<string, Item>>>(1)
  let current: Readonly<Record<string, Item>> = {}
  let spoken = false
  return {
    observable: subject.asObservable(),
    has: (key: string): boolean => Object.hasOwn(current, key),
    find: (key: string): Item | undefined => (Object.hasOwn(current, key) ? current[key] : undefined),
    put(next: Readonly<Record<string, Item>>): void {
      const keys = Object.keys(next)
      const same = keys.length === Object.keys(current).length && keys.every((key) => current[key] === next[key])
      if (spoken && same) return
      spoken = true
      current = next
      subject.next(next)
    },
    close: () => subject.complete(),
  }
}

/** Returns the tools by their names here. A tool keeps its own name if another tool has the new one. */
function nameTools(tools: readonly Listed[], rename: Readonly<Record<string, string>>): ReadonlyMap<string, Listed> {
  const newNameOf = (tool: Listed): string | undefined => {
    const own = String(tool["name"])
    return Object.hasOwn(rename, own) ? rename[own] : undefined
  }
  const named = new Map<string, Listed>()
  for (const tool of tools) if (newNameOf(tool) === undefined) named.set(String(tool["name"]), tool)
  for (const tool of tools) {
    const name = newNameOf(tool)
    if (name !== undefined) named.set(named.has(name) ? String(tool["name"]) : name, tool)
  }
  return named
}

/** Creates a function that turns items into members, and reuses the member of an equal item. */
function createMaker({ call, readTemplate, remote, naming, thing, long }: MembersOptions) {
  const { plainNames = false, rename = {} } = naming
  const actions = new Map<string, { readonly item: Listed; readonly action: Action }>()
  const states = new Map<string, { readonly item: Listed; readonly state: State }>()
  const keep = (key: string, item: Listed, make: () => Action): Action => {
    const known = actions.get(key)
    if (known !== undefined && equal(known.item, item)) return known.action
    const action = make()
    actions.set(key, { item, action })
    return action
  }
  const toState = (item: Listed, revision: number): State => {
    const uri = String(item["uri"])
    const known = states.get(uri)
    if (known !== undefined && known.state.value === revision && equal(known.item, item)) return known.state
    const { title, name, description, mimeType } = item
    const shown = [title, name].find((each) => typeof each === "string" && each !== "")
    const state: State = {
      ...(typeof shown === "string" && { title: shown }),
      ...(typeof description === "string" && { description }),
      schema: {},
      mediaType: typeof mimeType === "string" ? mimeType : "application/octet-stream",
      uri,
      value: revision,
      remote: known?.state.remote ?? remote(uri),
    }
    states.set(uri, { item, state })
    return state
  }
  return {
    actions(tools: readonly Listed[], templates: readonly Listed[]): Record<string, Action> {
      const all: Record<string, Action> = Object.create(null)
      for (const template of templates) {
        const made = toTemplateAction({ item: template, thing: thing() }, readTemplate)
        if (made !== undefined && !(made.key in all)) all[made.key] = keep(made.key, template, () => made.action)
      }
      // A tool takes precedence over a template's action of the same name.
      for (const [key, tool] of nameTools(tools, rename)) {
        const given = { toolName: plainNames ? key : undefined, long: long() }
        all[key] = keep(key, tool, () => toAction({ item: tool, thing: thing() }, call, given))
      }
      return all
    },
    states(resources: readonly Listed[], revisionOf: (uri: string) => number): Record<string, State> {
      const all: Record<string, State> = Object.create(null)
      for (const resource of resources)
        all[String(resource["uri"])] = toState(resource, revisionOf(String(resource["uri"])))
      return all
    },
  }
}
