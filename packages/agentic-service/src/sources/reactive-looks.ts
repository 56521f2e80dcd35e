import { hasMethod, memberOf } from "@x/base"

/** A recognisable reactive object. */
export interface Look {
  /** Its name. */
  readonly name: string
  /** Recognises it by its members, without calling any. */
  readonly test: (value: object) => boolean
  /** The source to write instead; `it` stands for the object. */
  readonly instead: string
}

/** Creates a test for several methods. */
function has(...names: readonly string[]): Look["test"] {
  return (value) => names.every((name) => hasMethod(value, name))
}

const { isArray } = Array

/**
 * Libraries that are recognised by unique members. `pnpm rig stores` runs these lines, and fails when a library is refused with
 * another line than the tested one.
 */
export const libraries: readonly Look[] = [
  // First, because it answers any property access, with a state of that name.
  {
    name: "a state of Hookstate",
    test: (value) => has("set", "merge", "nested")(value) && isArray(memberOf(value, "path")),
    instead:
      "{ get: () => it.get({ noproxy: true }), subscribe: (notify) => it.subscribe(notify) }, with @hookstate/subscribable",
  },
  {
    name: "a store of Pinia",
    test: has("$subscribe"),
    instead: "{ get: () => it.$state, subscribe: (notify) => it.$subscribe(notify, { detached: true }) }",
  },
  {
    name: "a store of Vuex",
    test: has("commit", "dispatch", "subscribe", "watch"),
    instead:
      "source.observe((notify) => it.watch((state) => state, (state) => notify(state), { deep: true, immediate: true }))",
  },
  {
    name: "a ref or reactive object of Vue",
    test: (value) => ["__v_isRef", "__v_isReactive", "__v_isReadonly"].some((flag) => memberOf(value, flag) === true),
    instead: "source.observe((notify) => watch(it, (value) => notify(value), { deep: true, immediate: true }))",
  },
  {
    name: "a model of mobx-keystone or MobX-State-Tree",
    test: (value) => Object.hasOwn(value, "$treenode") || Object.hasOwn(value, "$modelType"),
    instead: "{ get: () => getSnapshot(it), subscribe: (notify) => onSnapshot(it, notify) }",
  },
  {
    name: "an observable of MobX",
    test: isMobx,
    instead: "source.observe((notify) => autorun(() => notify(toJS(it)))), with it.get() for a box or computed",
  },
  {
    name: "an atom of Jotai",
    test: (value) => hasMethod(value, "read") && hasMethod(value, "toString") && Object.hasOwn(value, "toString"),
    instead: "{ get: () => store.get(it), subscribe: (notify) => store.sub(it, notify) }",
  },
  {
    name: "an observable of Legend-State",
    test: has("get", "peek", "onChange"),
    instead: "{ get: () => it.get(), subscribe: (notify) => it.onChange(notify) }",
  },
  {
    name: "an atom instance of Zedux",
    test: (value) => hasMethod(value, "getState") && hasMethod(memberOf(value, "store"), "subscribe"),
    instead: "it.store",
  },
  {
    name: "an atom of Zedux",
    test: has("getInstanceId", "override"),
    instead: "ecosystem.getInstance(it).store",
  },
  {
    name: "a SubscriptionRef of Effect",
    test: isOfEffect("SubscriptionRef"),
    instead:
      "source.observe((notify) => Effect.runCallback(Stream.runForEach(SubscriptionRef.changes(it), (value) => Effect.sync(() => notify(value)))))",
  },
  {
    name: "a value of Effect 3",
    test: (value) => ["Effect", "Stream"].some((name) => memberOf(value, Symbol.for(`effect/${name}`)) !== undefined),
    instead:
      "source.observe((notify) => Effect.runCallback(Stream.runForEach(it.changes, (value) => Effect.sync(() => notify(value)))))",
  },
  {
    name: "a value of Effect",
    test: isOfEffect("Effect", "Stream", "Ref"),
    instead:
      "source.observe((notify) => Effect.runCallback(Stream.runForEach(it, (value) => Effect.sync(() => notify(value))))), with a Stream",
  },
  {
    name: "a signal of Angular",
    test: (value) => Object.getOwnPropertySymbols(value).some(({ description }) => description === "SIGNAL"),
    instead:
      "source.observe((notify) => { const following = effect(() => notify(it()), { injector }); return () => following.destroy() })",
  },
  {
    name: "a reactive variable of Apollo",
    test: has("onNextChange", "attachCache"),
    instead:
      "{ get: () => it(), subscribe(notify) { let stop; const next = () => (stop = it.onNextChange(() => { next(); notify() })); next(); return () => stop() } }",
  },
  {
    name: "a stream of flyd",
    test: (value) => typeof value === "function" && has("map", "ap", "pipe")(value) && hasMethod(value, "end"),
    instead: "source.observe((notify) => { const following = flyd.on(notify, it); return () => following.end(true) })",
  },
  {
    name: "a stream of Mithril",
    test: (value) => typeof value === "function" && has("map", "end")(value),
    instead: "source.observe((notify) => { const following = it.map(notify); return () => following.end(true) })",
  },
  {
    name: "a running query of RTK Query",
    test: has("then", "refetch", "unsubscribe"),
    instead: "{ get: () => api.endpoints.name.select()(store.getState()), subscribe: store.subscribe }, with its name",
  },
]

function isOfEffect(...names: readonly string[]): Look["test"] {
  return (value) => names.some((name) => memberOf(value, `~effect/${name}`) !== undefined)
}

/** MobX marks its boxes by a name, and administered objects by an unregistered symbol. */
function isMobx(value: object): boolean {
  const marked = Object.getOwnPropertySymbols(value).some(({ description }) => description === "mobx administration")
  return marked || memberOf(value, "isMobXAtom") === true || memberOf(value, "isMobXComputedValue") === true
}
