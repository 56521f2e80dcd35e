import type { RemoteValue } from "@x/agentic-service"
import type { AnyFrame } from "../frames.js"
import { find, isFor } from "./answer-calls.js"
import type { OfferedGraph } from "./offered-graph.js"
import type { OfferedService } from "./offered-service.js"

/** The states held elsewhere that the other side watches. */
export interface Watches {
  /** Starts or ends a watch. A watch for another identity than the service's current one does not start. */
  set(frame: AnyFrame): void
  /** Moves watches to the place that now holds their state, and ends those of removed services. */
  look(): void
  /** Ends all watches. */
  close(): void
}

/** A watched state of an offered service. */
interface Watch {
  readonly service: OfferedService
  readonly key: string
  /** The access to the value; `undefined` while the state is unavailable. */
  remote: RemoteValue | undefined
  stop(): void
}

/** Creates an empty set of watches. */
export function createWatches(graph: OfferedGraph): Watches {
  const watched = new Map<string, Watch>()
  const remoteOf = ({ service, key }: Pick<Watch, "service" | "key">) => service.maps.states.find(key)?.remote
  const end = (place: string): void => {
    watched.get(place)?.stop()
    watched.delete(place)
  }
  const move = (watch: Watch): void => {
    const remote = remoteOf(watch)
    if (remote === watch.remote) return
    watch.stop()
    watch.remote = remote
    watch.stop = remote?.watch() ?? (() => {})
  }
  return {
    set(frame) {
      const { service, key } = find(frame, graph)
      if (service === undefined) return
      const place = `${service.id}/${key}`
      if (frame["on"] !== true) end(place)
      else if (isFor(frame, service) && !watched.has(place) && remoteOf({ service, key }) !== undefined) {
        const watch: Watch = { service, key, remote: undefined, stop() {} }
        watched.set(place, watch)
        move(watch)
      }
    },
    look() {
      for (const [place, watch] of [...watched]) {
        if (graph.find(watch.service.id) === watch.service) move(watch)
        else end(place)
      }
    },
    close() {
      for (const place of [...watched.keys()]) end(place)
    },
  }
}
