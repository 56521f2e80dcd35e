import type { Action, State } from "@x/agentic-service"
import type { States, Target } from "@x/agentic-service/adapter"
import { sameValue } from "@x/base"
import type { RawAction, RawState, Trust } from "../members.js"
import type { Connection } from "./connection.js"
import { createMirrorAction } from "./mirror-action.js"
import { createCalls, read, type Site } from "./mirror-acts.js"
import type { RawService } from "./raw-graph.js"

/** One offer's members, selected or not. */
export type OfferedMembers = Required<Pick<Target, "action" | "states" | "thing">>

/** Creates access to the members received on one connection. Only actions that were requested are cached. */
export function membersOf(connection: Connection, trust: Trust): OfferedMembers {
  const actions = new WeakMap<RawAction, Action>()
  const siteOf = (raw: RawService): Site => ({
    seat: () => connection.seatOf(raw),
    reach: async () =>
      connection.find(raw.id) === undefined
        ? { reason: "no link leads to its service now" }
        : { connection, id: raw.id },
    trust,
  })
  const toAction = (raw: RawService, key: string, action: RawAction): Action => {
    const made = actions.get(action) ?? createMirrorAction(key, action, createCalls(siteOf(raw)))
    actions.set(action, made)
    return made
  }
  const toState = (raw: RawService, key: string, { definition, value, remote }: RawState): State => {
    if (!remote) return { ...definition, value }
    const held: NonNullable<State["remote"]> = {
      read: (context) => read(key, context, siteOf(raw)),
      watch: () => () => {},
    }
    return { ...definition, value, remote: held }
  }
  return {
    thing(path) {
      const raw = follow(connection, path)
      return raw && connection.seatOf(raw).thing
    },
    action(path, key) {
      const raw = follow(connection, path)
      const action = raw?.actions.get(key)
      return raw && action && toAction(raw, key, action)
    },
    states(path): States | undefined {
      const raw = follow(connection, path)
      return raw && Object.fromEntries([...raw.states].map(([key, state]) => [key, toState(raw, key, state)]))
    },
  }
}

function follow(connection: Connection, path: readonly string[]): RawService | undefined {
  let raw = connection.root()
  for (const key of path) {
    const target = raw?.links.get(key)?.target
    raw = target === undefined ? undefined : connection.find(target)
  }
  return raw
}

type Pair = readonly [RawService | undefined, RawService | undefined]

/** Whether two offers have equal members in all linked services. Stops at the first difference. */
export function showTheSame(one: Connection, other: Connection): boolean {
  const pairs = new Map<RawService, RawService>()
  const queue: Pair[] = [[one.root(), other.root()]]
  // The queue grows during the loop.
  for (const [mine, theirs] of queue) {
    if (mine === undefined || theirs === undefined) return mine === theirs
    const known = pairs.get(mine)
    if (known === theirs) continue
    // The two graphs share a service at different links.
    if (known !== undefined || !sameMembers(mine, theirs)) return false
    pairs.set(mine, theirs)
    queue.push(...pairLinks(mine, theirs, [one, other]))
  }
  return true
}

/** Pairs the services that the links of both lead to. Leaves out links that have no target on either side. */
function pairLinks(mine: RawService, theirs: RawService, [one, other]: readonly [Connection, Connection]): Pair[] {
  const pairs = [...mine.links].map(([key, { target }]): Pair => {
    const there = theirs.links.get(key)?.target
    return [one.find(target), there === undefined ? undefined : other.find(there)]
  })
  return pairs.filter(([here, there]) => here !== undefined || there !== undefined)
}

function sameMembers(mine: RawService, theirs: RawService): boolean {
  if (mine.name !== theirs.name || mine.links.size !== theirs.links.size) return false
  // Authors declare them to be different documents, whatever their contents.
  if ((mine.lasting || theirs.lasting) && mine.thing !== theirs.thing) return false
  return (
    sameMaps(mine.actions, theirs.actions) &&
    [...mine.links.keys()].every((key) => theirs.links.has(key)) &&
    sameMaps(mine.states, theirs.states)
  )
}

function sameMaps(mine: ReadonlyMap<string, unknown>, theirs: ReadonlyMap<string, unknown>): boolean {
  if (mine.size !== theirs.size) return false
  for (const [key, value] of mine) if (!theirs.has(key) || !sameValue(value, theirs.get(key))) return false
  return true
}
