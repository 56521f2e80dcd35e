import type { State } from "@x/agentic-service"
import { type JsonValue, toJson } from "@x/base"
import type { Change } from "../catalogue/claims.js"
import type { StateEntry } from "../catalogue/entry.js"

/**
 * The last value of each state that a class of callers knows, as a hash of its encoding. Comparing hashes, not objects, decides
 * whether a state has a new value, because an object changed in place is still the same object.
 */
export interface ToldValues {
  /** Checks whether a state's value differs from the known one, or is unknown. Encodes it. */
  differs(entry: StateEntry): boolean
  /**
   * Does the same as {@link ToldValues.differs}; also true when callers other than `client` were told another value after a
   * revision.
   */
  differsSince(entry: StateEntry, revision: number, client?: string): boolean
  /**
   * Records a state's current value as known.
   *
   * @param json - The delivered value, when at hand. Default: the current value as JSON.
   * @param client - The client that received it. Default: all.
   * @returns The number of JSON characters; 0 when the state is gone.
   */
  tell(entry: StateEntry, json?: JsonValue, client?: string): number
  /** Whether any value is known for a URI. */
  knows(uri: string): boolean
  /** Returns a hash of a state's current value, equal for equal values, or `undefined` when it is gone. */
  hashOf(entry: StateEntry): number | undefined
  /**
   * Records all unknown values, within limits, so that a later emission of an equal value is recognised. Works only once: later
   * values are recorded when reported.
   */
  noteAll(list: () => readonly StateEntry[]): void
  /** Forgets removed states. */
  forgetGone(changes: ReadonlyMap<string, Change<StateEntry>>): void
}

/**
 * Creates an empty memory of known values.
 *
 * @param revision - Returns the catalogue's current revision.
 */
export function createToldValues(revision: () => number): ToldValues {
  const told = new Map<string, number>()
  /** The revision and client of the first report of each known value. */
  const toldAt = new Map<string, { readonly revision: number; readonly client: string | undefined }>()
  let notedAll = false
  const tell = (entry: StateEntry, json?: JsonValue, client?: string): number => {
    const state = entry.current()
    if (state === undefined) return 0
    // The delivered value counts, even if the object was changed in place without an emission.
    if (json !== undefined && state.remote === undefined) hashes.set(state, toHash(json))
    const { hash, chars } = hashOf(state, entry)
    const before = told.get(entry.uri)
    if (before !== undefined && before !== hash) toldAt.set(entry.uri, { revision: revision(), client })
    told.set(entry.uri, hash)
    return chars
  }
  const differs = (entry: StateEntry): boolean => {
    const state = entry.current()
    return state !== undefined && told.get(entry.uri) !== hashOf(state, entry).hash
  }
  return {
    tell,
    noteAll(list) {
      if (notedAll) return
      notedAll = true
      let chars = NOTED.chars
      for (const entry of list().slice(0, NOTED.states)) {
        if (chars <= 0) return
        if (!told.has(entry.uri)) chars -= tell(entry)
      }
    },
    differs,
    differsSince(entry, since, client) {
      if (differs(entry)) return true
      const told = toldAt.get(entry.uri)
      return told !== undefined && told.revision > since && (client === undefined || told.client !== client)
    },
    knows: (uri) => told.has(uri),
    hashOf(entry) {
      const state = entry.current()
      return state && hashOf(state, entry).hash
    },
    forgetGone(changes) {
      for (const [uri, { after }] of changes) {
        if (after !== undefined) continue
        told.delete(uri)
        toldAt.delete(uri)
      }
    },
  }
}

/** The maximum of states and characters recorded unasked. */
const NOTED = { states: 200, chars: 1_000_000 }

/** Cached per state object, which is a new one after each emission, because many caller classes share it. */
const hashes = new WeakMap<State, Encoded>()

interface Encoded {
  readonly hash: number
  readonly chars: number
}

function hashOf(state: State, { thing }: StateEntry): Encoded {
  const known = hashes.get(state)
  if (known !== undefined) return known
  // The placeholder of a remote value says nothing about another instance's value.
  const hash = toHash(state.remote === undefined ? toJson(state.value) : [thing, toJson(state.value)])
  hashes.set(state, hash)
  return hash
}

/** Hashes a text to 53 bits (cyrb53): it needs no security, and costs less than the encoding. */
function toHash(json: JsonValue): Encoded {
  const text = JSON.stringify(json)
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return { hash: 4294967296 * (2097151 & low) + (high >>> 0), chars: text.length }
}
