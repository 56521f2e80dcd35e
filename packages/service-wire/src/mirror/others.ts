import type { ActionDefinition } from "@x/agentic-service/adapter"
import type { RawAction, RawDeclared } from "../members.js"
import type { Connection } from "./connection.js"
import type { MirrorActs, MirrorNode } from "./mirror-node.js"
import { showTheSame } from "./offered-members.js"

type Elsewhere = ReturnType<MirrorActs["elsewhere"]>

/** A mirror's offers, compared with the selected one. */
export interface Others {
  /** Invalidates the comparison after an offer or the selection has changed. */
  changed(): void
  /** Whether any offer differs from the others. */
  differ(): boolean
  /** Adds an offer. */
  add(connection: Connection): void
  /** Removes an offer. */
  remove(connection: Connection): void
  /**
   * Returns the actions that only unselected offers have at their root. The map stays the same object while they are the same.
   */
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
