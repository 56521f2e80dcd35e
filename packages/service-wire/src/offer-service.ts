import { type AgenticService, toAgenticService } from "@x/agentic-service"
import { newThing } from "@x/agentic-service/adapter"
import type { OptionRule } from "@x/base"
import type { Channel, WireEnd } from "./channel.js"
import { type AnyFrame, isId, type OfferFrame } from "./frames.js"
import { checkOptions, defaultWireLimits, type WireLimits } from "./limits.js"
import type { AskHere } from "./offer/answer-calls.js"
import { createRequestDesk } from "./offer/answer-requests.js"
import { createOfferedGraph, type OfferedGraph, toFailureText } from "./offer/offered-graph.js"
import { KINDS } from "./offer/offered-service.js"
import { createDiffWriter, createFailureNotes } from "./offer/write-diffs.js"
import { openSession, readLimits } from "./session.js"
import { atEndOfTask } from "./time.js"

/** Options of an offer. */
export interface OfferOptions {
  /**
   * Asks the person in front of this application the questions of actions. Default: the questions go to the caller, where the
   * service is mirrored.
   */
  readonly ask?: AskHere
  /** How long the other side may be silent before it counts as lost, in milliseconds. Default: unlimited. */
  readonly silentMs?: number
}

const offerRules: Record<keyof OfferOptions, OptionRule> = { ask: "function", silentMs: { from: 1 } }

/**
 * Offers a service, with all linked services, on a channel. The other side receives changes as they happen, a burst as one
 * diff, and never more than it has acknowledged. Its calls take the path of `service.execute`. They run nothing if the service
 * or a link has another identity than the caller saw. The offer ends with the channel; the service stays open.
 *
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { mirrorService, offerService } from "@x/service-wire"
 * import { fromMessagePort } from "@x/service-wire/message-port"
 *
 * const { port1, port2 } = new MessageChannel()
 * const offer = offerService(createAgenticService({ name: "board" }), fromMessagePort(port1))
 * const board = mirrorService(fromMessagePort(port2))
 * offer.close()
 * board.close()
 * ```
 */
export function offerService(service: AgenticService, channel: Channel, options: OfferOptions = {}): WireEnd {
  checkOptions(options, offerRules)
  let limits: WireLimits = defaultWireLimits
  let things = false
  const teller = createTeller({
    service: toAgenticService(service),
    limits: () => limits,
    asks: options.ask === undefined,
    things: () => things,
    send: (text) => session.sendText(text),
    due: () => desk.look(),
  })
  const session = openSession(channel, {
    hello: { role: "offer", things: true, load: thisLoad() },
    longest: () => defaultWireLimits.frame,
    ...(options.silentMs !== undefined && { silentMs: options.silentMs }),
    greeted(hello) {
      limits = readLimits(hello["limits"])
      things = hello["things"] === true
      teller.begin()
    },
    frame: take,
    closed() {
      desk.close()
      teller.close()
    },
  })
  const desk = createRequestDesk({
    graph: teller.graph,
    send(frame) {
      if (frame.t === "result") teller.tellAll()
      session.send(frame)
    },
    most: () => limits.calls,
    longest: () => limits.frame,
    ask: options.ask,
  })

  function take(frame: AnyFrame): void {
    if (frame.t === "ack") teller.acknowledge(isId(frame["n"]) ? frame["n"] : 0)
    else desk.take(frame)
    if (frame.t === "beat") session.send({ t: "beat" } satisfies OfferFrame)
  }
  return { closed: session.closed, close: (reason) => session.close("left", reason) }
}

/** Sends changes to the other side at its pace. */
interface Teller {
  /** The offered services. */
  readonly graph: OfferedGraph
  /** Starts sending, once the other side has greeted. */
  begin(): void
  /** Called when the other side has acknowledged every diff up to a number. */
  acknowledge(n: number): void
  /** Sends all pending changes without waiting for acknowledgements, before the result of the call that caused them. */
  tellAll(): void
  /** Stops following the services. */
  close(): void
}

interface TellerOptions {
  readonly service: AgenticService
  readonly limits: () => WireLimits
  readonly asks: boolean
  readonly things: () => boolean
  readonly send: (text: string) => void
  /** Called at the end of a task in which something changed, and after each diff. */
  readonly due: () => void
}

function createTeller({ service, limits, asks, things, send, due }: TellerOptions): Teller {
  const failures = createFailureNotes()
  let scheduled = false
  let open = false
  let patient = true
  const count = { sent: 0, acknowledged: 0 }
  let patience: ReturnType<typeof setTimeout> | undefined

  const graph = createOfferedGraph(service, {
    most: () => limits().services,
    changed: schedule,
    failed(failure) {
      failures.add([KINDS[failure.kind], failure.key ?? "", toFailureText(failure)])
      schedule()
    },
  })
  const writer = createDiffWriter(graph, { limits, asks, things, failures })

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    atEndOfTask(() => {
      scheduled = false
      flush()
      due()
    })
  }
  /** Waits until the last diff is acknowledged: a slow reader gets the newest values only. */
  function flush(): void {
    if (count.acknowledged === count.sent) tellNext()
  }
  function tellNext(): boolean {
    const diff = open ? writer.next(patient) : undefined
    if (diff === undefined) return false
    count.sent += 1
    send(diff)
    // A diff also removes services that no link reaches any more.
    due()
    return true
  }

  return {
    graph,
    begin() {
      open = true
      patience = setTimeout(() => {
        patient = false
        schedule()
      }, PATIENCE_MS)
      schedule()
    },
    acknowledge(n) {
      count.acknowledged = Math.min(count.sent, Math.max(count.acknowledged, n))
      flush()
    },
    tellAll() {
      graph.settle()
      while (tellNext());
    },
    close() {
      open = false
      clearTimeout(patience)
      graph.close()
    },
  }
}

/** How long to wait for maps that have not emitted, in milliseconds, before the snapshot counts as complete. */
const PATIENCE_MS = 500

/** Returns an id of this process or page load. */
function thisLoad(): string {
  load ??= newThing()
  return load
}

let load: string | undefined
