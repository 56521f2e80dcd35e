import { Database } from "@adobe/data/ecs"
import { Observe } from "@adobe/data/observe"
import { AgenticService } from "@adobe/data/service"

/** A genuine `@adobe/data` service on its own database, with controls for tests. */
export interface Adventure {
  /** The service, as `AgenticService.create` returned it. */
  readonly service: AgenticService
  /** Makes a foe (a link, and the action `strike`) appear or disappear. */
  readonly meet: (foe: boolean) => void
  /** Sets the hero's points; below 10 the action `rest` appears. */
  readonly hurt: (hp: number) => void
  /** Returns the foe's remaining points. */
  readonly foeHp: () => number
}

/**
 * Creates a hero that may meet a foe: conditional actions, a link that appears and disappears, and actions of zero, one and two
 * parameters. Uses resources and transactions only: on Node 20 `db.derive`, `db.observe.select`, `.count` and `.index`, and
 * reading an entity as a wider archetype throw, because they need `Set.prototype.isDisjointFrom` and `isSupersetOf` (Node 22).
 */
export function createAdventure(): Adventure {
  const db = Database.create(adventure)
  const { hp, name, foeHp, foeIsHere } = db.observe.resources
  const service = AgenticService.create({
    interface: {
      hp: { type: "state", schema: { type: "number", description: "Points the hero has left" } },
      name: { type: "state", schema: { type: "string" } },
      heal: {
        type: "action",
        description: "Gain points",
        parameters: [{ type: "number", minimum: 1, title: "amount" }],
      },
      rename: { type: "action", description: "Take another name", parameters: [Naming] },
      rest: { type: "action", description: "Rest until healthy", parameters: [] },
      strike: {
        type: "action",
        description: "Strike the foe",
        parameters: [Weapon, { type: "integer", title: "Force used" }],
      },
      foe: { type: "link", description: "The foe" },
    },
    implementation: {
      hp,
      name,
      heal: async (amount) => db.transactions.setHp(db.resources.hp + amount),
      rename: async ({ name }) => (name === "" ? "a hero needs a name" : db.transactions.setName(name)),
      rest: async () => db.transactions.setHp(10),
      strike: async (weapon, force) => {
        db.transactions.setFoeHp(db.resources.foeHp - force)
        return { weapon, left: db.resources.foeHp }
      },
      foe: createFoe(foeHp),
    },
    conditional: { rest: Observe.withMap(hp, (points) => points < 10), strike: foeIsHere, foe: foeIsHere },
  })
  return {
    service,
    meet: (foe) => db.transactions.setFoeIsHere(foe),
    hurt: (points) => db.transactions.setHp(points),
    foeHp: () => db.resources.foeHp,
  }
}

const Naming = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
} as const
const Weapon = { type: "string", enum: ["sword", "bow"], title: "weapon", layout: "std140" } as const

const adventure = Database.Plugin.create({
  resources: {
    hp: { default: 10 as number },
    name: { default: "Ada" as string },
    foeHp: { default: 5 as number },
    foeIsHere: { default: false as boolean },
  },
  transactions: {
    setHp: (t, hp: number) => {
      t.resources.hp = hp
    },
    setName: (t, name: string) => {
      t.resources.name = name
    },
    setFoeHp: (t, hp: number) => {
      t.resources.foeHp = hp
    },
    setFoeIsHere: (t, here: boolean) => {
      t.resources.foeIsHere = here
    },
  },
})

function createFoe(foeHp: Observe<number>): AgenticService {
  return AgenticService.create({
    interface: {
      hp: { type: "state", schema: { type: "number" } },
      roar: { type: "action", description: "Roar", parameters: [] },
    },
    implementation: { hp: foeHp, roar: async () => "the foe is asleep" },
  })
}
