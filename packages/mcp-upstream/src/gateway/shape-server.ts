import type { Action, AgenticService } from "@x/agentic-service"
import { type Actions, notAvailable } from "@x/agentic-service/adapter"
import { map } from "rxjs"
import { expand, matches, templateKey } from "../definitions/to-action.js"
import { type Peer, peerOf, withPeer } from "../peer-of.js"
import type { Listed } from "../upstream.js"
import type { ServerRules } from "./profiles.js"

/**
 * Returns a server with only the members that a profile shows. Hidden members are in no list, and cannot be found, called, read
 * or completed.
 */
export function shapeServer(server: AgenticService, rules: ServerRules): AgenticService {
  const { shows } = rules
  const peer = peerOf(server)
  const shaped = new WeakMap<Action, Action>()
  const shape = (key: string, action: Action): Action => {
    const known = shaped.get(action)
    if (known !== undefined) return known
    const toolName = rules.nameOf(key)
    const made: Action = {
      ...action,
      ...(toolName !== undefined && { toolName }),
      execute: (input, context) => (isDenied(key, input) ? unavailable(key) : action.execute(input, context)),
    }
    shaped.set(action, made)
    return made
  }
  /** Returns whether a template's action would read a denied URI. */
  const isDenied = (key: string, input: unknown): boolean => {
    if (!rules.deniesAny) return false
    const templates = peer?.templates().filter((template) => templateKey(template) === key) ?? []
    return templates.some((template) => rules.denies(expandOrNone(template, input)))
  }
  const service: AgenticService = {
    name: server.name,
    ...(server.description !== undefined && { description: server.description }),
    get instructions() {
      return server.instructions ?? ""
    },
    ...(server.occupancy && { occupancy: server.occupancy }),
    states: server.states.pipe(map((states) => pick(states, shows))),
    actions: server.actions.pipe(map((actions) => shapeAll(actions, shows, shape))),
    links: server.links,
    get declared() {
      const { states, actions, links } = server.declared
      return { states, actions: hide(actions, shows), links }
    },
    failures: server.failures,
    async execute(action, input, context) {
      if (!shows(action) || isDenied(action, input)) return unavailable(action)
      return server.execute(action, input, context)
    },
    close: () => undefined, // the gateway owns the server
  }
  return peer === undefined ? service : withPeer(service, shapePeer(peer, shows))
}

async function unavailable(action: string) {
  return notAvailable(action, { reason: "the profile of this caller hides it", callable: [] })
}

function pick<Item>(all: Readonly<Record<string, Item>>, shows: ServerRules["shows"]): Record<string, Item> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => shows(key)))
}

function shapeAll(
  actions: Actions,
  shows: ServerRules["shows"],
  shape: (key: string, action: Action) => Action,
): Actions {
  return Object.fromEntries(Object.entries(pick(actions, shows)).map(([key, action]) => [key, shape(key, action)]))
}

/** Hides members of a map that enumerates none. */
function hide<Map extends object>(members: Map, shows: ServerRules["shows"]): Map {
  const isShown = (key: string | symbol): boolean => typeof key !== "string" || shows(key)
  return new Proxy(members, {
    get: (target, key) => (isShown(key) ? Reflect.get(target, key) : undefined),
    has: (target, key) => isShown(key) && Reflect.has(target, key),
    getOwnPropertyDescriptor: (target, key) =>
      isShown(key) ? Reflect.getOwnPropertyDescriptor(target, key) : undefined,
    ownKeys: (target) => Reflect.ownKeys(target).filter(isShown),
  })
}

function shapePeer(peer: Peer, shows: ServerRules["shows"]): Peer {
  const isShown = (template: Listed): boolean => shows(String(template["uriTemplate"]))
  const resource = (uri: string): Listed | undefined => (shows(uri) ? peer.resource(uri) : undefined)
  return {
    prompts: () => peer.prompts().filter(({ name }) => shows(String(name))),
    templates: () => peer.templates().filter(isShown),
    resource,
    claims(uri) {
      if (!shows(uri)) return false
      if (resource(uri) !== undefined) return true
      // A hidden template hides its resources, unless another template matches them.
      const leading = peer.templates().filter((template) => matches(template, uri))
      return (leading.length === 0 || leading.some(isShown)) && peer.claims(uri)
    },
    thing: () => peer.thing(),
    request: (...asked) => peer.request(...asked),
    follow: (uri) => peer.follow(uri),
    freshen: () => peer.freshen(),
    changes: peer.changes,
  }
}

function expandOrNone(template: Listed, input: unknown): string {
  try {
    return expand(template, input)
  } catch {
    return ""
  }
}
