import { hasMethod, memberOf } from "@x/tool-schemas/json"
import { ServiceError } from "../service-error.js"

/**
 * Refuses what changes by itself and cannot be followed, by the name of what it looks like, with the line to write instead.
 * Taken for a value it would be served as it is now, for ever.
 *
 * @throws ServiceError `invalid_definition`.
 */
export function refuseReactive(value: object): void {
  const found = looks.find(({ test }) => test(value))
  if (found === undefined) return
  throw new ServiceError(`found ${found.name}, which cannot be followed by itself; hand in ${found.instead}`, {
    code: "invalid_definition",
  })
}

/** Something that looks reactive. */
interface Look {
  /** What it is called. */
  readonly name: string
  /** Tells it by its members, without calling anything. */
  readonly test: (value: object) => boolean
  /** What to write; `it` stands for the thing. */
  readonly instead: string
}

// The order matters where shapes overlap: first what can be named, then what can only be described.
const looks: readonly Look[] = [
  {
    name: "a store of Pinia",
    test: (value) => hasMethod(value, "$subscribe"),
    instead: "{ get: () => it.$state, subscribe: (notify) => it.$subscribe(notify, { detached: true }) }",
  },
  {
    name: "a ref or reactive object of Vue",
    test: (value) => ["__v_isRef", "__v_isReactive", "__v_isReadonly"].some((flag) => memberOf(value, flag) === true),
    instead: "(notify) => watch(it, (value) => notify(value), { deep: true, immediate: true })",
  },
  {
    name: "an observable of MobX",
    test: isMobx,
    instead: "(notify) => autorun(() => notify(toJS(it))), with it.get() for a box or computed",
  },
  {
    name: "an atom of Jotai",
    test: (value) => hasMethod(value, "read") && hasMethod(value, "toString") && Object.hasOwn(value, "toString"),
    instead: "{ get: () => store.get(it), subscribe: (notify) => store.sub(it, notify) }",
  },
  {
    name: "an observable of Legend-State",
    test: (value) => ["get", "peek", "onChange"].every((name) => hasMethod(value, name)),
    instead: "{ get: () => it.get(), subscribe: (notify) => it.onChange(notify) }",
  },
  {
    name: "a value of Effect",
    test: (value) => ["effect/Effect", "effect/Stream"].some((name) => memberOf(value, Symbol.for(name)) !== undefined),
    instead:
      "(notify) => Effect.runCallback(Stream.runForEach(it.changes, (value) => Effect.sync(() => notify(value))))",
  },
  {
    name: "a function that takes nothing, such as a signal's accessor or a getter",
    test: (value) => typeof value === "function" && value.length === 0,
    instead: "(notify) => effect(() => notify(it())), with the effect of its library",
  },
  {
    name: "a signal without a way to subscribe",
    test: (value) => takesNothing(memberOf(value, "get")),
    instead: "(notify) => …, which calls notify after each change and returns what stops it",
  },
  {
    name: "an object that tells of changes in a way of its own",
    test: (value) =>
      typeof value === "object" && [...channels, ...Object.keys(value)].some((key) => isChannel(value, key)),
    instead: "(notify) => …, which calls notify now and after each change and returns what stops it",
  },
  {
    name: "a proxy, such as Valtio's",
    test: isProxy,
    instead: "{ get: () => snapshot(it), subscribe: (notify) => subscribe(it, notify) }",
  },
]

/** What tells of changes has such a method, its own or of its class. */
const channels = ["observe", "onChange", "subscribeChanges", "addListener", "addEventListener", "on", "listen", "watch"]
const channelNames = /^(add\w*Listener|subscribe\w+|observe|onChange|on|listen|watch)$/

function isChannel(value: object, key: string): boolean {
  return channelNames.test(key) && hasMethod(value, key)
}

function takesNothing(method: unknown): boolean {
  return typeof method === "function" && method.length === 0
}

/** MobX marks its boxes by a name, and what it administers by a symbol that is not registered. */
function isMobx(value: object): boolean {
  const marked = Object.getOwnPropertySymbols(value).some(({ description }) => description === "mobx administration")
  return marked || memberOf(value, "isMobXAtom") === true || memberOf(value, "isMobXComputedValue") === true
}

/** Only a proxy, or something with functions in it, is plain data that cannot be copied. */
function isProxy(value: object): boolean {
  if (!isPlain(value)) return false
  try {
    structuredClone(value)
    return false
  } catch (cause) {
    // What is nested too deep to be copied may be data all the same.
    return !(cause instanceof RangeError) && !holdsFunction(value, new Set())
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

function holdsFunction(value: unknown, inside: Set<unknown>): boolean {
  if (typeof value === "function" || typeof value === "symbol") return true
  if (typeof value !== "object" || value === null || inside.has(value)) return false
  inside.add(value)
  // An instance of a class may be anything: only plain data is looked into.
  return !isPlain(value) || Object.values(value).some((item) => holdsFunction(item, inside))
}
