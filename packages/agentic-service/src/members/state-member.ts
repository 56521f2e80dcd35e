import { map } from "rxjs"
import { exportSchema } from "../checks/export-schema.js"
import type { StateDeclaration } from "../declare/state.js"
import { watchPresence } from "../maps/presence.js"
import type { State, StateDefinition } from "../service.js"
import { toObservable } from "../sources/to-observable.js"
import { isUnchanged } from "./is-unchanged.js"
import type { Member } from "./member.js"

/** Makes a declared state into one that can be followed. */
export function createStateMember({ options }: StateDeclaration): Member<State, StateDefinition> {
  const { description, mediaType, schema, value, when } = options
  const definition: StateDefinition = {
    ...(description === undefined ? {} : { description }),
    ...(mediaType === undefined ? {} : { mediaType }),
    schema: schema === undefined ? { contentMediaType: mediaType } : exportSchema(schema, "output"),
  }
  let last: State | undefined

  const next = (newest: unknown): State => {
    if (last && isUnchanged(last.value, newest)) return last
    last = { ...definition, value: newest }
    return last
  }
  const items = toObservable(value).pipe(map((newest) => ({ visible: true, item: next(newest) }) as const))
  return { definition, presence: watchPresence(when, items) }
}
