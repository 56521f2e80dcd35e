import type { Action, State } from "@x/agentic-service"
import type { States, Target } from "@x/agentic-service/adapter"
import { sameValue } from "@x/tool-schemas/json"
import type { RawAction, RawState, Trust } from "../members.js"
import type { Connection } from "./connection.js"
import { createMirrorAction } from "./mirror-action.js"
import { createCalls, read, type Site } from "./mirror-acts.js"
import type { RawService } from "./raw-graph.js"

/** What one offer shows and does, whether the mirror stands for it or not. */
export type OfferedMembers = Required<Pick<Target, "action" | "states" | "thing">>

/** Looks into what was told on one connection. Nothing is kept of it but the actions that were asked for. */
export function membersOf(connection: Connection, trust: Trust): OfferedMembers {
  const actions = new WeakMap<RawAction, Action>()
  const siteOf = (raw: RawService): Site => ({
    seat: () => connection.seatOf(raw),
    reach: async () =>
      connection.find(raw.id) === undefined
        ? { reason: "the service it belongs to is not linked now" }
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

/** Whether two offers show and do the same, in all services that their links lead to. Ends at the first difference. */
export function showTheSame(one: Connection, other: Connection): boolean {
  const pairs = new Map<RawService, RawService>()
  const queue: Pair[] = [[one.root(), other.root()]]
  // Grows as it is walked.
  for (const [mine, theirs] of queue) {
    if (mine === undefined || theirs === undefined) return mine === theirs
    const known = pairs.get(mine)
    if (known === theirs) continue
    // The same service there is another here.
    if (known !== undefined || !sameMembers(mine, theirs)) return false
    pairs.set(mine, theirs)
    queue.push(...pairLinks(mine, theirs, [one, other]))
  }
  return true
}

/** The services that the links of both lead to; a link that leads nowhere here leads nowhere there. */
function pairLinks(mine: RawService, theirs: RawService, [one, other]: readonly [Connection, Connection]): Pair[] {
  const pairs = [...mine.links].map(([key, { target }]): Pair => {
    const there = theirs.links.get(key)?.target
    return [one.find(target), there === undefined ? undefined : other.find(there)]
  })
  return pairs.filter(([here, there]) => here !== undefined || there !== undefined)
}

function sameMembers(mine: RawService, theirs: RawService): boolean {
  if (mine.name !== theirs.name || mine.links.size !== theirs.links.size) return false
  // Two documents are two, whatever they hold, where authors say so.
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
