import type { ActionDefinition } from "@x/agentic-service/adapter"
import type { RawAction, RawDeclared } from "../members.js"
import type { Connection } from "./connection.js"
import type { MirrorActs, MirrorNode } from "./mirror-node.js"
import { showTheSame } from "./offered-members.js"

type Elsewhere = ReturnType<MirrorActs["elsewhere"]>

/** The offers of a mirror, compared with the one that it stands for. */
export interface Others {
  /** Has them compared anew: one of them, or the choice, has changed. */
  changed(): void
  /** Whether some show or do what others do not. */
  differ(): boolean
  /** Adds an offer. */
  add(connection: Connection): void
  /** Removes an offer. */
  remove(connection: Connection): void
  /** The actions that only unselected offers have at their root; the same map as long as they are the same. */
  actionsOf(node: MirrorNode): Elsewhere
}

/** Tracks members that only unselected offers have. */
export function createOthers(current: () => Connection | undefined, root: () => MirrorNode): Others {
  const connections = new Set<Connection>()
  const none: Elsewhere = new Map()
  let found: Elsewhere | undefined = none
  const find = (): Elsewhere => {
    const raws = [...connections].filter((one) => one !== current()).flatMap((one) => one.root() ?? [])
    return new Map(raws.flatMap(({ declared, actions }) => [...declared.actions, ...[...actions].map(toConditional)]))
  }
  const changed = (): void => {
    found = undefined
    root().look()
  }
  return {
    changed,
    differ() {
      const [first, ...rest] = [...connections].filter((one) => one.isWhole())
      return first !== undefined && rest.some((other) => !showTheSame(first, other))
    },
    add(connection) {
      connections.add(connection)
      changed()
    },
    remove(connection) {
      connections.delete(connection)
      changed()
    },
    actionsOf(node) {
      if (node !== root()) return none
      found ??= find()
      return found
    },
  }
}

function toConditional([key, { definition }]: readonly [string, RawAction]): [string, RawDeclared<ActionDefinition>] {
  return [key, { definition, conditional: true }]
}
