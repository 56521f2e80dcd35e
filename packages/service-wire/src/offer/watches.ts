import type { RemoteValue } from "@x/agentic-service"
import type { AnyFrame } from "../frames.js"
import { find, isFor } from "./answer-calls.js"
import type { OfferedGraph } from "./offered-graph.js"
import type { OfferedService } from "./offered-service.js"

/** States held elsewhere that the other side watches. */
export interface Watches {
  /** Begins or ends one. One that is for another thing than the service stands for now does not begin. */
  set(frame: AnyFrame): void
  /** Follows states that are held in another place now, and ends the watches of services that are gone. */
  look(): void
  /** Ends all of them. */
  close(): void
}

/** One state that is watched, for as long as its service is offered. */
interface Watch {
  readonly service: OfferedService
  readonly key: string
  /** Where the value is held; `undefined` while the state is not there. */
  remote: RemoteValue | undefined
  stop(): void
}

/** Watches nothing yet. */
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
