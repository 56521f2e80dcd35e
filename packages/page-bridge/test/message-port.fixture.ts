// One script in three places: the mirroring page, and a worker and a cross-origin frame that offer.
import { action, createAgenticService, state } from "@x/agentic-service"
import { mirrorService, offerService } from "@x/service-wire"
import { fromMessagePort, type PortLike } from "@x/service-wire/message-port"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"

/** The globals that all places share. */
type Place = {
  readonly document?: Document
  readonly location: Location
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void
}
// Workers have no document, but the DOM types assume one.
const place = globalThis as unknown as Place

if (place.document === undefined) place.addEventListener("message", ({ data }) => offer("worker", data))
else if (place.location.search === "?frame") {
  place.addEventListener("message", ({ origin, data }) => {
    if (origin === new URL(document.referrer).origin) offer("frame", data)
  })
} else start(Reflect.get(globalThis, "given").frame).catch(reportError)

function offer(name: string, port: PortLike): void {
  const count$ = new BehaviorSubject(0)
  const add = action({
    description: "Add one",
    output: { type: "object", properties: { in: { type: "string" } }, required: ["in"] },
    execute() {
      count$.next(count$.value + 1)
      return { in: place.document === undefined ? "no document" : place.location.origin }
    },
  })
  const count = state({ schema: { type: "integer" }, value: count$ })
  offerService(createAgenticService({ name, states: { count }, actions: { add } }), fromMessagePort(port))
}

async function start(frame: string): Promise<void> {
  const worker = new Worker("/script.js", { type: "module" })
  const element = document.createElement("iframe")
  element.src = `${frame}?frame`
  const loaded = new Promise((resolve) => element.addEventListener("load", resolve))
  document.body.append(element)
  await loaded
  const inWorker = mirror((port) => worker.postMessage(port, [port]))
  const inFrame = mirror((port) => element.contentWindow?.postMessage(port, new URL(frame).origin, [port]))
  const seen = []
  for (const mirrored of [inWorker, inFrame]) {
    await firstValueFrom(mirrored.status.pipe(filter(({ state: now }) => now === "live")))
    const outcome = await mirrored.execute("add", undefined)
    const { count } = await firstValueFrom(mirrored.states.pipe(filter((states) => states["count"]?.value === 1)))
    seen.push({ name: mirrored.name, outcome, count: count?.value })
  }
  Object.assign(globalThis, { seen })
}

function mirror(send: (port: MessagePort) => void) {
  const { port1, port2 } = new MessageChannel()
  send(port2)
  return mirrorService(fromMessagePort(port1))
}
