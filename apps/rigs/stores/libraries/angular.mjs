import { source } from "@x/agentic-service"
import "@angular/compiler"
import {
  createEnvironmentInjector,
  ErrorHandler,
  effect,
  platformCore,
  provideZonelessChangeDetection,
  ɵINJECTOR_SCOPE as SCOPE,
  signal,
} from "@angular/core"
import { toObservable } from "@angular/core/rxjs-interop"
import { countRuns } from "./count-runs.mjs"

export const title = "Angular signals"
export const packages = ["@angular/core"]
export const named = "Angular"

/** The injector, which an application gets from `inject(Injector)`. */
const injector = createEnvironmentInjector(
  [
    { provide: SCOPE, useValue: "root" },
    { provide: ErrorHandler, useValue: new ErrorHandler() },
    provideZonelessChangeDetection(),
  ],
  platformCore().injector,
)

export function create(initial) {
  const source = signal(initial)
  const runs = countRuns(() => source.set(structuredClone(source())))
  const todos = () => {
    runs.count()
    return source()
  }
  return {
    source,
    it: todos,
    write: (value) => source.set(value),
    touch() {
      source()[0].done = true
      source.set([...source()])
    },
    batch(one, two) {
      source.set(one)
      source.set(two)
    },
    listen(heard) {
      const subscription = toObservable(source, { injector }).subscribe(heard)
      return () => subscription.unsubscribe()
    },
    followers: runs.perChange,
  }
}

// Angular's own `toObservable` follows the signal as long as the injector lives, even without subscribers.
export const line = ({ it }) =>
  source.observe((notify) => {
    const following = effect(() => notify(it()), { injector })
    return () => following.destroy()
  })
