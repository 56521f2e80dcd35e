import { of } from "rxjs"
import { createAction } from "../calls/create-action.js"
import type { ActionDeclaration } from "../declare/action.js"
import { watchPresence } from "../maps/presence.js"
import type { Action, ActionDefinition } from "../service.js"
import type { Member, Report } from "./member.js"

/** Makes a declared action into one that can be followed; it is the same object whenever it is there. */
export function createActionMember(
  key: string,
  { options }: ActionDeclaration,
  report: Report,
): Member<Action, ActionDefinition> {
  const action = createAction(key, options, report)
  const { check: _check, confirm: _confirm, ask: _ask, execute: _execute, ...definition } = action
  return { definition, presence: watchPresence(options.when, of({ visible: true, item: action })) }
}
