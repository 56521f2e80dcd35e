import { createDeferred } from "@x/base"
import { describe, expect, it, vi } from "vitest"
import { createLedger } from "../../runtime/host.js"
import { createManualClock } from "../../runtime/manual-clock.fixture.js"
import { createWork } from "../server/work.js"
import { createOutbox } from "./outbox.js"

/** Creates an outbox whose pipe sends each text with those before it, until `accept` is called. */
function createRig() {
  const host = { clock: createManualClock(), ledger: createLedger() }
  const sent: string[] = []
  let batch = createDeferred()
  let gone = 0
  const outbox = createOutbox({
    out(text) {
      sent.push(text)
      return batch.promise
    },
    work: createWork(host),
    gone: () => {
      gone += 1
    },
    dropped: () => undefined,
    host,
  })
  const renew = () => {
    const { resolve, reject } = batch
    batch = createDeferred()
    return { resolve, reject }
  }
  return {
    ...outbox,
    sent,
    gone: () => gone,
    accept: () => renew().resolve(),
    fail: () => renew().reject(new Error("gone")),
  }
}

const LONG = "x".repeat(600_000)

describe("an outbox of a pipe that sends several texts together", () => {
  it("is flushed once all of them are accepted", async () => {
    const { send, accept, flushed } = createRig()
    let isFlushed = false
    send("a")
    send("b")
    const flushing = flushed().then(() => {
      isFlushed = true
    })

    await Promise.resolve()
    expect(isFlushed).toBe(false)
    accept()
    await flushing

    expect(isFlushed).toBe(true)
  })

  it("counts the notifications of all of them as unread", async () => {
    const { notify, accept, sent } = createRig()
    notify(`1${LONG}`)
    notify(`2${LONG}`)
    notify("3")

    expect(sent).toEqual([`1${LONG}`, `2${LONG}`])
    accept()

    await vi.waitFor(() => expect(sent.at(-1)).toBe("3"))
  })

  it("reports once that the client is gone", async () => {
    const { send, fail, flushed, gone } = createRig()
    send("a")
    send("b")
    fail()
    await flushed()

    expect(gone()).toBe(1)
  })
})
