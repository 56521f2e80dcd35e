import { createSlots } from "../../runtime/slots.js"
import type { Work } from "../server/work.js"

/** What goes out over a pipe, and what is still to be answered. */
export interface Outbox {
  /** Notes requests that are to be answered; those of a batch are answered together. */
  expect(ids: readonly (string | number)[], batch: boolean): void
  /** Sends an answer to one that was noted. */
  answer(id: string | number, json: string): void
  /** Notes that one is not answered, because the client has cancelled it. */
  skip(id: unknown): void
  /** Sends what answers nothing. */
  send(json: string): void
  /** Sends a notification; a peer that has left too many unread is dropped instead. */
  notify(json: string): void
  /** Resolves once everything that was sent has been taken, or cannot be any more. */
  flushed(): Promise<void>
  /** Sends nothing any more. */
  close(): void
}

/** What an outbox stands on. */
export interface OutboxSite {
  /** Sends a text. */
  readonly out: (text: string) => void | Promise<void>
  /** Counts the requests that wait for their answer. */
  readonly work: Work
  /** Runs when a text cannot be sent: the other end is gone. */
  readonly gone: () => void
  /** Runs when the peer has left too much unread. */
  readonly dropped: () => void
}

/** How many characters of notifications a peer may leave unread when the next one comes: about 1 MB. One alone may be larger. */
export const UNSENT_LIMIT: number = 2 ** 20

/** Nothing sent yet. */
export function createOutbox({ out, work, gone, dropped }: OutboxSite): Outbox {
  const open = createSlots<Expected, unknown>()
  const going = new Set<Promise<void>>()
  let unsent = 0
  let closed = false
  const pass = (text: string): Promise<void> | undefined => {
    const writing = closed ? undefined : out(text)?.catch(gone)
    if (writing !== undefined) keepWhile(going, writing)
    return writing
  }
  const settle = (id: unknown, json: string | undefined): void => {
    const expected = open.get(id)
    open.vacate(id)
    if (json !== undefined) {
      if (expected?.batch === undefined) void pass(json)
      else expected.batch.answers.push(json)
    }
    if (expected === undefined) return
    if (expected.batch !== undefined) settleOne(expected.batch, pass)
    expected.answered()
  }
  return {
    expect(ids, inBatch) {
      const batch = inBatch ? { answers: [], awaited: ids.length } : undefined
      for (const id of ids) {
        // Two of one id cannot be told apart over one pipe: the earlier one is answered, but not waited for.
        open.get(id)?.answered()
        open.fill(id, { answered: work.begin(), ...(batch && { batch }) })
      }
    },
    answer: (id, json) => settle(id, json),
    skip(id) {
      if (open.get(id) !== undefined) settle(id, undefined)
    },
    send: (json) => void pass(json),
    notify(json) {
      if (unsent > UNSENT_LIMIT) return dropped()
      unsent += json.length
      const back = (): void => {
        unsent -= json.length
      }
      const taken = pass(json)
      if (taken === undefined) back()
      else void taken.then(back)
    },
    async flushed() {
      await Promise.all(going)
    },
    close() {
      closed = true
      for (const [id, { answered }] of [...open.all()]) {
        open.vacate(id)
        answered()
      }
    },
  }
}

/** Notes an answer of a batch; the last one sends all. */
function settleOne(batch: Batch, pass: (text: string) => unknown): void {
  batch.awaited -= 1
  // Where nothing is answered, because all was cancelled, there is no answer of none.
  if (batch.awaited === 0 && batch.answers.length > 0) pass(`[${batch.answers.join(",")}]`)
}

function keepWhile(all: Set<Promise<void>>, one: Promise<void>): void {
  all.add(one)
  void one.then(() => all.delete(one))
}

/** A request that waits for its answer. */
interface Expected {
  /** Notes that it has it. */
  readonly answered: () => void
  /** What it came with. */
  readonly batch?: Batch
}

/** Requests that are answered together. */
interface Batch {
  readonly answers: string[]
  awaited: number
}
