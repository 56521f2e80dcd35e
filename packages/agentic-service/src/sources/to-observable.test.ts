import { BehaviorSubject, EMPTY, Observable, of, Subject, throwError } from "rxjs"
import { describe, expect, it } from "vitest"
import type { Source } from "./source.js"
import { source } from "./stated-source.js"
import { toObservable } from "./to-observable.js"

/** Records everything that a source does, in order. */
function record<Value>(source: Source<Value>): { readonly log: unknown[]; stop(): void } {
  const log: unknown[] = []
  const subscription = toObservable(source).subscribe({
    next: (value) => log.push(value),
    error: (cause) => log.push({ error: cause }),
    complete: () => log.push("complete"),
  })
  return { log, stop: () => subscription.unsubscribe() }
}

describe("toObservable", () => {
  it("emits a plain value once", () => {
    expect(record(7).log).toEqual([7, "complete"])
    expect(record(null).log).toEqual([null, "complete"])
    expect(record([1, 2]).log).toEqual([[1, 2], "complete"])
  })

  it("follows an rxjs observable to its end", () => {
    expect(record(of(1, 2)).log).toEqual([1, 2, "complete"])
    expect(record(EMPTY).log).toEqual(["complete"])
    expect(record(throwError(() => "broken")).log).toEqual([{ error: "broken" }])
  })

  it("emits the truth last to a late observer of a re-entrant emission", () => {
    const subject = new BehaviorSubject(0)
    subject.subscribe((value) => value === 1 && subject.next(2))
    const { log } = record(subject)

    subject.next(1)

    expect(log.at(-1)).toBe(2)
  })

  it("follows an observable of another library", () => {
    const foreign = {
      subscribe: (observer: { next(value: number): void }) => {
        observer.next(1)
        return { unsubscribe: () => {} }
      },
    }

    expect(record<unknown>(foreign).log).toEqual([1])
  })

  it("uses an interop observable's observable", () => {
    const interop: object = { "@@observable": () => of(1) }

    expect(record<unknown>(interop).log).toEqual([1, "complete"])
  })

  it.each(["getSnapshot", "getState", "get"])("reads a store by %s at once and after every change", (reader) => {
    let value = 1
    const listeners = new Set<() => void>()
    const store = {
      [reader]: () => value,
      subscribe: (listener: () => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    const { log, stop } = record<unknown>(store)

    value = 2
    for (const listener of listeners) listener()
    stop()

    expect(log).toEqual([1, 2])
    expect(listeners.size).toBe(0)
  })

  it("ends a store's subscription by its unsubscribe", () => {
    let ended = 0
    const store = { getSnapshot: () => 1, subscribe: () => ({ unsubscribe: () => (ended += 1) }) }

    record<unknown>(store).stop()

    expect(ended).toBe(1)
  })

  it("converts a store's read error to an error", () => {
    let broken = false
    let changed = (): void => {}
    const store = {
      get: () => {
        if (broken) throw new Error("broken")
        return 1
      },
      subscribe: (listener: () => void) => {
        changed = listener
        return () => {}
      },
    }
    const { log } = record<unknown>(store)

    broken = true
    changed()

    expect(log).toEqual([1, { error: new Error("broken") }])
  })

  it("emits an Observe's first value during the subscription", () => {
    let stopped = 0
    const { log, stop } = record(
      source.observe<number>((notify) => {
        notify(1)
        return () => {
          stopped += 1
        }
      }),
    )
    stop()

    expect(log).toEqual([1])
    expect(stopped).toBe(1)
  })

  it("ignores reports of an Observe after it was stopped", () => {
    let late = (_value: number): void => {}
    const { log, stop } = record(
      source.observe<number>((notify) => {
        late = notify
        return () => {}
      }),
    )

    stop()
    late(1)

    expect(log).toEqual([])
  })

  it("converts an error of subscribing to an error", () => {
    const observe = (_notify: unknown): (() => void) => {
      throw new Error("broken")
    }

    expect(record(source.observe(observe)).log).toEqual([{ error: new Error("broken") }])
  })

  it("waits for a promise", async () => {
    const { log } = record(Promise.resolve(1))
    await Promise.resolve()

    expect(log).toEqual([1, "complete"])
  })

  it("converts a rejection to an error", async () => {
    const rejected = Promise.reject(new Error("broken"))
    const { log } = record(rejected)
    await rejected.catch(() => {})

    expect(log).toEqual([{ error: new Error("broken") }])
  })

  it("touches no source before its subscription", () => {
    let touched = 0
    const count = new Observable<number>(() => {
      touched += 1
    })

    toObservable(count)
    source.observe(() => {
      touched += 1
      return () => {}
    })
    source.read(() => {
      touched += 1
    })

    expect(touched).toBe(0)
  })

  it("releases a subject", () => {
    const subject = new Subject<number>()

    record(subject).stop()

    expect(subject.observed).toBe(false)
  })
})
