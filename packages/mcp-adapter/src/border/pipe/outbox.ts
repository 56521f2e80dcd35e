import { type Cancel, type Host, startTimer } from "../../runtime/host.js"
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
  /**
   * Sends a notification. It waits while the peer has much unread; one that waits already is not added again. A peer that
   * takes nothing of that for a time is dropped.
   */
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
  /** Runs once the peer is not worth waiting for, with the reason. */
  readonly dropped: (reason: string) => void
  /** Time, and what is held. */
  readonly host: Pick<Host, "clock" | "ledger">
}

/** How many characters of notifications are on their way to a peer at once: about 1 MB. One alone may be larger. The rest waits. */
const UNSENT_LIMIT = 2 ** 20

/** How many characters may wait for a peer that reads. */
const WAITING_LIMIT = 16 * 2 ** 20

/** How long a peer may take nothing while something waits for it, in milliseconds. */
const STALLED = 10_000

/** Creates the outbox of one pipe. */
export function createOutbox(site: OutboxSite): Outbox {
  const { work } = site
  const open = createSlots<Expected, unknown>()
  const { pass, notify, flushed, close } = createQueue(site)
  const settle = (id: unknown, json: string | undefined): void => {
    const expected = open.get(id)
    open.vacate(id)
    if (json !== undefined) {
      if (expected?.batch === undefined) pass(json)
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
    send: pass,
    notify,
    flushed,
    close() {
      close()
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

/** Sends texts in order, and no more notifications at once than a peer can be expected to take. */
interface Queue extends Pick<Outbox, "notify" | "flushed" | "close"> {
  /** Sends what is neither merged nor counted: answers were asked for. */
  pass(text: string): void
}

function createQueue({ out, gone, dropped, host }: OutboxSite): Queue {
  const going = new Set<Promise<void>>()
  // In order; a notification under its own text, so that one that waits already is there once.
  const waiting = new Map<unknown, Queued>()
  let unsent = 0
  let held = 0
  let closed = false
  let stall: Cancel | undefined
  const watch = (): void => {
    stall?.()
    stall =
      waiting.size === 0 || closed
        ? undefined
        : startTimer(host, STALLED, () =>
            dropped(`took nothing for ${STALLED / 1_000} s while ${held} characters waited`),
          )
  }
  const send = ({ text, counted }: Queued): void => {
    const writing = closed ? undefined : out(text)?.catch(gone)
    if (writing === undefined) return
    going.add(writing)
    if (counted) unsent += text.length
    void writing.then(() => {
      going.delete(writing)
      if (counted) unsent -= text.length
      if (waiting.size > 0) drain()
    })
  }
  const drain = (): void => {
    for (const [key, queued] of waiting) {
      if (unsent > UNSENT_LIMIT) break
      waiting.delete(key)
      held -= queued.text.length
      send(queued)
    }
    watch()
  }
  const wait = (key: unknown, queued: Queued): void => {
    waiting.set(key, queued)
    held += queued.text.length
    if (held > WAITING_LIMIT) dropped(`left more than ${WAITING_LIMIT} characters waiting`)
    else if (stall === undefined) watch()
  }
  const add = (key: unknown, queued: Queued): void => {
    if (closed) return
    if (waiting.size === 0 && (unsent <= UNSENT_LIMIT || !queued.counted)) send(queued)
    else if (!waiting.has(key)) wait(key, queued)
  }
  return {
    pass: (text) => add({}, { text, counted: false }),
    notify: (text) => add(text, { text, counted: true }),
    async flushed() {
      while (going.size > 0) await Promise.all(going)
    },
    close() {
      closed = true
      waiting.clear()
      watch()
    },
  }
}

/** A text that waits. */
interface Queued {
  readonly text: string
  /** Whether it is a notification. */
  readonly counted: boolean
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
