import { formatPointer, hasMethod } from "@x/base"
import { ServiceError } from "../service-error.js"
import type { Look } from "./reactive-looks.js"
import { isPlain, isPromise, lookOf } from "./refuse-reactive.js"

/**
 * Rejects a constant that contains changing values: a ref, a signal or a store in an object, or an instance of a class with
 * accessors as fields. Models would read `{}`, or the first value forever.
 *
 * @throws ServiceError `invalid_definition`, with its place and the line to write.
 */
export function refuseInside(value: unknown): void {
  const found = findReactive(value)
  if (found === undefined) return
  const at = found.path.length === 0 ? "" : `at "${formatPointer(found.path)}" in a value that never changes, `
  throw new ServiceError(`${at}found ${found.name}; pass ${found.instead}`, { code: "invalid_definition" })
}

/** A reactive object and its place. */
interface Found extends Reactive {
  readonly path: readonly (string | number)[]
}

/** A reactive object. */
type Reactive = Pick<Look, "name" | "instead">

/** A value inside another. */
interface Part {
  readonly value: object
  /** The place; `undefined` for the outermost value. */
  readonly trail: Trail | undefined
}

/** A path that shares its beginning with others. */
interface Trail {
  readonly key: string | number
  readonly above: Trail | undefined
}

/** The maximum of inspected parts. */
const MOST_PARTS = 10_000

function findReactive(root: unknown): Found | undefined {
  const first = (lookAt: (part: Part) => Reactive | undefined): Found | undefined => {
    for (const part of walk(root)) {
      const look = lookAt(part)
      if (look !== undefined) return { ...look, path: toPath(part.trail) }
    }
    return undefined
  }
  const named = first(({ value, trail }) => (trail === undefined ? lookOfFields(value) : lookOfPart(value)))
  return named ?? first(({ value }) => lookOfFunctions(value))
}

/** Yields the objects and functions in a value, each once, level by level. Only plain objects and lists are entered. */
function* walk(root: unknown): Iterable<Part> {
  const found: Part[] = isObject(root) ? [{ value: root, trail: undefined }] : []
  const seen = new Set<unknown>([root])
  for (const part of found) {
    yield part
    if (!isPlain(part.value)) continue
    for (const inner of partsOf(part.value, part.trail)) {
      if (seen.size >= MOST_PARTS) return
      if (seen.has(inner.value)) continue
      seen.add(inner.value)
      found.push(inner)
    }
  }
}

function* partsOf(value: object, above: Trail | undefined): Iterable<Part> {
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value))
    if (isObject(item)) yield { value: item, trail: { key, above } }
}

function toPath(trail: Trail | undefined): (string | number)[] {
  const path: (string | number)[] = []
  for (let step = trail; step !== undefined; step = step.above) path.unshift(step.key)
  return path
}

function isObject(value: unknown): value is object {
  return typeof value === "function" || (typeof value === "object" && value !== null)
}

/** Recognises a part of a value. A plain function is a method, which JSON omits; one with members may be a signal. */
function lookOfPart(value: object): Reactive | undefined {
  if (isFollowable(value)) {
    const instead = "it as a state of its own, or the whole as combineLatest({ … }) of rxjs"
    return { name: "a source", instead }
  }
  const look = lookOf(value) ?? lookOfAccessor(value)
  if (look === undefined) return lookOfFields(value)
  return { name: look.name, instead: `it as a state of its own: ${look.instead}` }
}

/** Signals of Solid and alien-signals are bound functions. */
function lookOfAccessor(value: object): Reactive | undefined {
  if (typeof value !== "function" || !value.name.startsWith("bound ")) return undefined
  const instead = "source.observe((notify) => effect(() => notify(it()))), with the effect of its library"
  return { name: "a bound function, such as a signal's accessor", instead }
}

function isFollowable(value: object): boolean {
  const names = ["subscribe", Symbol.observable, "@@observable", Symbol.asyncIterator]
  return isPromise(value) || names.some((name) => hasMethod(value, name))
}

/** Recognises an instance of a class whose state is behind accessors, such as a class with Svelte's runes, which JSON omits. */
function lookOfFields(value: object): Reactive | undefined {
  if (typeof value === "function" || isPlain(value) || hasMethod(value, "toJSON")) return undefined
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!isObject(prototype) || isBuiltIn(prototype)) return undefined
  const fields = Object.values(Object.getOwnPropertyDescriptors(prototype))
  const isWritable = fields.some(({ get, set }) => get !== undefined && set !== undefined)
  const isHidden = Object.keys(value).length === 0 && fields.some(({ get }) => get !== undefined)
  if (!isWritable && !isHidden) return undefined
  return {
    name: "an instance of a class whose fields are accessors, such as one with Svelte's runes",
    instead: "source.observe((notify) => $effect.root(() => { $effect(() => notify($state.snapshot(it.field))) }))",
  }
}

/** Recognises an object of functions only, such as a subject or a custom reader, which JSON omits. */
function lookOfFunctions(value: object): Reactive | undefined {
  if (typeof value === "function" || !isPlain(value) || hasMethod(value, "toJSON")) return undefined
  const members: unknown[] = Object.values(value)
  if (members.length === 0 || !members.every((member) => typeof member === "function")) return undefined
  return {
    name: "an object or list that holds only functions, which JSON omits",
    instead: "its value with source.observe((notify) => …) or source.read(() => …)",
  }
}

/** Checks for classes of the language and the host, which have their own JSON form, or are bytes, lists and maps. */
function isBuiltIn(prototype: object): boolean {
  const made: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value
  if (typeof made !== "function" || Reflect.get(globalThis, made.name) === made) return true
  return Function.prototype.toString.call(made).includes("[native code]")
}
