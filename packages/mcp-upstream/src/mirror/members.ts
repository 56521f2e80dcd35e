import type { Action, RemoteValue, State } from "@x/agentic-service"
import type { Abortable, Actions, Declared, DeclaredMember, States } from "@x/agentic-service/adapter"
import equal from "fast-deep-equal"
import { type Observable, ReplaySubject } from "rxjs"
import type { Listed, UpstreamOptions } from "../upstream.js"
import type { ListKind } from "./list-all.js"
import { type Run, toAction, toTemplateAction } from "./to-action.js"

/** The members that a server's lists make. */
export interface Members {
  /** The actions there are; nothing before {@link Members.show} or {@link Members.hide}. */
  readonly actions: Observable<Actions>
  /** The states there are. */
  readonly states: Observable<States>
  /** Every action that was ever there, for those who ask by key; it lists none, as a server declares nothing. */
  readonly declared: Declared
  /** Takes the items of a list. */
  put(kind: ListKind, items: readonly Listed[]): void
  /** The items of a list. */
  list(kind: ListKind): readonly Listed[]
  /** A resource has another value. @returns Whether it is a state. */
  updated(uri: string): boolean
  /** Tells of values at once that are gathered. */
  flush(): void
  /** Every resource may have another value. */
  allUpdated(): void
  /** Another server has taken the place: its members are others, even where they are defined alike. Forgets the former's. */
  replace(): void
  /** An action that can be called now. */
  find(key: string): Action | undefined
  /** Shows what there is. */
  show(): void
  /** Shows nothing. */
  hide(): void
  /** Completes the maps. */
  close(): void
}

/** What making members takes. */
export interface MembersOptions {
  /** Calls a tool. */
  readonly call: Run
  /** Reads what a template leads to. */
  readonly readTemplate: Run
  /** How a resource of what the upstream stands for now is read and watched. */
  remote(uri: string): RemoteValue
  /** What the upstream stands for now. */
  thing(): string
  /** What tools are called. */
  readonly naming: Pick<UpstreamOptions, "plainNames" | "rename">
  /** Why an action is not there. */
  reason(key: string): string
  /** Tries to bring an action back; resolves once it is known whether that worked. */
  revive(signal: Abortable): Promise<void>
  /** Does something later. */
  after(milliseconds: number, callback: () => void): () => void
}

/** No members yet. */
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

/** Counts the values that each resource has had. A server that floods is told on once in a while. */
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

/** How long values are gathered before they are told, in milliseconds. */
const RAISE_MS = 5

/** Found by its key and listed nowhere: what a foreign server may have is not known before it says so. */
function declare(map: object, key: string, member: DeclaredMember<Action>): void {
  Object.defineProperty(map, key, { value: member, enumerable: false, configurable: true })
}

/** A map that says nothing before it is put, and equal ones once. */
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

/** Names tools as they are called here. One that would take the name of another keeps its own. */
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

/** Makes members of items, the same for equal items. */
function createMaker({ call, readTemplate, remote, naming, thing }: MembersOptions) {
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
      // A tool of the name of a template's action stands before it.
      for (const [key, tool] of nameTools(tools, rename))
        all[key] = keep(key, tool, () => toAction({ item: tool, thing: thing() }, call, plainNames ? key : undefined))
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
