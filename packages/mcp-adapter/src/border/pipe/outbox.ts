import { hasMethod } from "@x/base"
import { type Cancel, type Host, startTimer } from "../../runtime/host.js"
import { createSlots } from "../../runtime/slots.js"
import type { Work } from "../server/work.js"

/** The output of a pipe, and the requests still unanswered. */
export interface Outbox {
  /** Records requests that need an answer; those of a batch are answered together. */
  expect(ids: readonly (string | number)[], batch: boolean): void
  /** Sends the answer to a recorded request. */
  answer(id: string | number, json: string): void
  /** Marks a request as finished without an answer, after a cancellation. */
  skip(id: unknown): void
  /** Sends a message that answers no request. */
  send(json: string): void
  /**
   * Sends a notification. It waits while the client has many characters unread; an identical waiting notification is not added
   * again. A client that stops reading is disconnected after a while.
   */
  notify(json: string): void
  /** Resolves once everything sent has been read, or can no longer be. */
  flushed(): Promise<void>
  /** Stops sending. */
  close(): void
}

/** The context of an outbox. */
export interface OutboxSite {
  /** Sends a text. */
  readonly out: (text: string) => void | Promise<void>
  /** Counts unanswered requests. */
  readonly work: Work
  /** Runs when a text cannot be sent because the client is gone. */
  readonly gone: () => void
  /** Takes the reason when the client stops reading and has to be disconnected. */
  readonly dropped: (reason: string) => void
  /** Provides the clock and counts timers. */
  readonly host: Pick<Host, "clock" | "ledger">
}

/** The most characters of notifications sent but unread: about 1 MB. The rest waits. A single one may be larger. */
const UNSENT_LIMIT = 2 ** 20

/** The most characters that may wait for a client that reads. */
const WAITING_LIMIT = 16 * 2 ** 20

/** How long a client may read nothing while messages wait, in milliseconds. */
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
        // Two requests with the same id cannot be told apart on one pipe: the earlier one is answered, but not waited for.
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

/** Counts an answer of a batch; after the last one, sends them all. */
function settleOne(batch: Batch, pass: (text: string) => unknown): void {
  batch.awaited -= 1
  // If all requests of a batch were cancelled, no answer is sent.
  if (batch.awaited === 0 && batch.answers.length > 0) pass(`[${batch.answers.join(",")}]`)
}

/** Sends texts in order, and limits the unread notifications. */
interface Queue extends Pick<Outbox, "notify" | "flushed" | "close"> {
  /** Sends an answer or another message that is neither merged nor limited. */
  pass(text: string): void
}

/** Texts on their way, until the pipe has sent them. */
interface Writing {
  /** The characters of their notifications. */
  size: number
  /** Resolves when they are sent, or cannot be. */
  readonly ended: Promise<void>
}

function createQueue({ out, gone, dropped, host }: OutboxSite): Queue {
  // By what the pipe returned, which may be the same for several texts.
  const going = new Map<unknown, Writing>()
  // In order. A notification is keyed by its text, so that identical ones wait once.
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
            dropped(`read nothing for ${STALLED / 1_000} s while ${held} characters were queued`),
          )
  }
  const send = ({ text, counted }: Queued): void => {
    // A function of type `() => void` may return anything: Node's `postMessage` returns a boolean.
    const sent: unknown = closed ? undefined : out(text)
    if (!hasMethod(sent, "then")) return
    const size = counted ? text.length : 0
    unsent += size
    const same = going.get(sent)
    if (same !== undefined) {
      same.size += size
      return
    }
    const end = (): void => {
      going.delete(sent)
      unsent -= writing.size
      if (waiting.size > 0) drain()
    }
    const writing: Writing = {
      size,
      ended: Promise.resolve(sent)
        .then(() => undefined, gone)
        .then(end),
    }
    going.set(sent, writing)
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
    if (held > WAITING_LIMIT) dropped(`left more than ${WAITING_LIMIT} characters queued`)
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
      while (going.size > 0) await Promise.all([...going.values()].map(({ ended }) => ended))
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

/** An unanswered request. */
interface Expected {
  /** Marks it as answered. */
  readonly answered: () => void
  /** Its batch, if any. */
  readonly batch?: Batch
}

/** Requests that are answered together. */
interface Batch {
  readonly answers: string[]
  awaited: number
}
