import { type AgenticService, toAgenticService } from "@x/agentic-service"
import { newThing } from "@x/agentic-service/adapter"
import type { OptionRule } from "@x/tool-schemas/json"
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

/** How a service is offered. */
export interface OfferOptions {
  /**
   * Puts the questions of actions to the person in front of this application. Default: they are put to whoever calls, where the
   * service is mirrored.
   */
  readonly ask?: AskHere
  /** How long the other side may be silent before it counts as lost, in milliseconds. Default: however long. */
  readonly silentMs?: number
}

const offerRules: Record<keyof OfferOptions, OptionRule> = { ask: "function", silentMs: { from: 1 } }

/**
 * Offers a service on a channel, with everything it links to. The other side sees what changes as it changes, a burst as one,
 * and never more than it has taken in; its calls take the path of `service.execute`, and run nothing where the service, or a link, leads
 * to something else than its caller saw. Ends with the channel, and does not close the service.
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

/** Tells the other side what changes, at its pace. */
interface Teller {
  /** What is offered. */
  readonly graph: OfferedGraph
  /** The other side is there. */
  begin(): void
  /** It has taken in every diff up to a number. */
  acknowledge(n: number): void
  /** Tells everything there is to tell, whatever the other side has taken in: before the result of the call that brought it about. */
  tellAll(): void
  /** Lets go of the services. */
  close(): void
}

interface TellerOptions {
  readonly service: AgenticService
  readonly limits: () => WireLimits
  readonly asks: boolean
  readonly things: () => boolean
  readonly send: (text: string) => void
  /** Called when something changed, at the end of the task, and after each diff. */
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
  /** A slow reader gets the newest when it is ready for it, and nothing in between. */
  function flush(): void {
    if (count.acknowledged === count.sent) tellNext()
  }
  function tellNext(): boolean {
    const diff = open ? writer.next(patient) : undefined
    if (diff === undefined) return false
    count.sent += 1
    send(diff)
    // Services that nothing leads to any more are let go of with a diff.
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

/** How long maps that have not spoken are waited for, in milliseconds, before what there is counts as all there is. */
const PATIENCE_MS = 500

/** Identifies this process, or this load of the page. */
function thisLoad(): string {
  load ??= newThing()
  return load
}

let load: string | undefined
