import type { Client } from "@modelcontextprotocol/client"
import { vi } from "vitest"
import type { Names } from "./names.js"
import { PATIENCE_MS } from "./patience.js"
import type { Seat } from "./seat.js"
import { type Person, SLOTS } from "./steps.js"
import type { World } from "./world.js"

/** Options of a follower. */
interface ToldOptions {
  readonly person: Person
  readonly world: World
  readonly seat: Seat
  readonly names: Names
}

/** Creates the part of a person that subscribes to each title, and reads it whenever told. */
export function createTold({ person, world, seat, names }: ToldOptions) {
  const known = new Map<string, string | undefined>()
  const told = new Map<string, number>()
  /** Names that meant nothing when the person subscribed, so that no subscription was possible. */
  let deaf: ReadonlySet<string> = new Set()
  /** Times at which a value could differ although it does not. */
  let doubts = 0

  const read = async (client: Client, uri: string): Promise<string | undefined> => {
    const contents = await client.readResource({ uri }).then(
      (result) => result.contents,
      () => [],
    )
    const [first] = contents
    const text = first !== undefined && "text" in first ? first.text : undefined
    if (text !== undefined) seat.overhear(text)
    return text
  }
  return {
    /** Subscribes, after a restart again. */
    async follow(client: Client): Promise<void> {
      const uris = SLOTS.map((slot) => names.uri(slot, "title"))
      client.setNotificationHandler("notifications/resources/updated", async ({ params: { uri } }) => {
        if (!uris.includes(uri)) seat.faults.push(`${person} was told of ${uri}`)
        told.set(uri, (told.get(uri) ?? 0) + 1)
        known.set(uri, await read(client, uri))
      })
      if (client.getProtocolEra() === "modern") await client.listen({ resourceSubscriptions: uris })
      else for (const uri of uris) await client.subscribeResource({ uri }).catch(() => undefined)
      for (const uri of uris) known.set(uri, await read(client, uri))
      deaf = new Set(uris.filter((uri) => known.get(uri) === undefined))
    },
    /** Records that a value may have changed while nobody could see it. */
    mayDiffer(): void {
      doubts += 1
    },
    /** Compares, at rest, what the person knows with the truth. */
    async judge(): Promise<void> {
      for (const slot of SLOTS) {
        const uri = names.uri(slot, "title")
        const value = world.value(slot)
        if (deaf.has(uri)) continue
        // A former name is known only to servers that saw it.
        const isCurrent = world.standing(slot) !== undefined
        await vi
          .waitFor(
            () => {
              if (isCurrent && known.get(uri) !== JSON.stringify(value)) throw new Error("not yet")
            },
            { timeout: PATIENCE_MS },
          )
          .catch(() =>
            seat.faults.push(`${person} knows ${String(known.get(uri))} of ${slot}, which is ${String(value)}`),
          )
        const times = told.get(uri) ?? 0
        const most = world.differences[slot] + doubts
        if (times > most) seat.faults.push(`${person} was told ${times} times of ${most} differences of ${slot}`)
      }
    },
  }
}

/** A person's subscriptions. */
export type Told = ReturnType<typeof createTold>
