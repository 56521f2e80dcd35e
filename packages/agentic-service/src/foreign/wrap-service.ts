import { branded } from "../brand.js"
import { executeAction } from "../calls/execute-action.js"
import { createFailures } from "../failures.js"
import { createLiveMap } from "../maps/live-map.js"
import type { Action, AgenticService } from "../service.js"
import { createForeignActions } from "./foreign-action.js"
import { createForeignFeed } from "./foreign-feed.js"
import { createForeignLinks } from "./foreign-link.js"
import { toForeignState } from "./foreign-state.js"
import type { ForeignService } from "./recognise-service.js"

/** How a recognised service is wrapped. */
export interface WrapOptions {
  /** The name to give it instead of its own. */
  readonly name?: string | undefined
  /** What a string stands for that an action returns. Default `"error"`. */
  readonly stringResults?: "error" | "data"
  /** Wraps a service it links to. */
  wrapChild(child: unknown): AgenticService
  /** Is told when the wrapper is closed. */
  forget(): void
}

/** Gives a foreign service our interface. Neither the service nor anything it emits is written to. */
export function wrapService(foreign: ForeignService, options: WrapOptions): AgenticService {
  const { failures, report } = createFailures()
  const name = options.name ?? foreign.name ?? "service"
  const { description } = foreign
  const toAction = createForeignActions({
    foreign,
    report,
    stringsAreErrors: options.stringResults !== "data",
    callee: () => callee,
  })
  const states = createLiveMap(
    createForeignFeed({ kind: "state", source: foreign.states, toItem: toForeignState, report }),
  )
  const actions = createLiveMap<Action>(
    createForeignFeed({ kind: "action", source: foreign.actions, toItem: toAction, report }),
  )
  const links = createLiveMap(
    createForeignFeed({
      kind: "link",
      source: foreign.links,
      toItem: createForeignLinks(foreign, options.wrapChild),
      report,
    }),
  )
  const declared = { states: {}, actions: {}, links: {} }
  const callee = { name, actions: actions.changes, declared }
  return {
    ...branded,
    ...callee,
    ...(description === undefined ? {} : { description }),
    states: states.changes,
    links: links.changes,
    failures,
    execute: (action, input, context) => executeAction(callee, { action, input, context }),
    close: () => {
      options.forget()
      for (const map of [states, actions, links]) map.close()
    },
  }
}
