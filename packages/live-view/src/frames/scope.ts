import type { Principal } from "@x/agentic-service"
import {
  type CallSubject,
  type ChangedEvent,
  type DiagnosticEvent,
  type ListeningClient,
  principalKey,
  type View,
} from "@x/mcp-adapter/binding"

// A module of its own, because it alone decides which events are shown.

/** Decides which events belong to the watched view. Events of all views arrive in one stream. */
export interface Scope {
  /** Whether a call belongs to the view and to the named principal, if any. */
  hasCall(call: Pick<CallSubject, "view" | "principal">): boolean
  /** Whether a client listens to the view, by the same rule as {@link Scope.hasCall}. */
  hasClient(client: Pick<ListeningClient, "view" | "principal">): boolean
  /** Whether a change may concern the view. Show only what the view itself contains. */
  hasChange(event: Pick<ChangedEvent, "view">): boolean
  /** Whether a diagnostic concerns the view, or all clients if all share one view. */
  hasNote(event: Pick<DiagnosticEvent, "view">): boolean
}

/**
 * Creates the scope of a live view.
 *
 * @param shared - Whether all clients share one view. A named principal then sees its own calls only.
 */
export function createScope(view: View, { shared, principal }: ScopeOptions): Scope {
  const owner = principal && keyOf(principal)
  const isOurs = (other: Pick<CallSubject, "view" | "principal">): boolean =>
    other.view === view.id &&
    (owner === undefined || (other.principal !== undefined && keyOf(other.principal) === owner))
  return {
    hasCall: isOurs,
    hasClient: isOurs,
    hasChange: (event) => event.view === undefined || event.view === view.id,
    hasNote: (event) => event.view === view.id || (event.view === undefined && shared && principal === undefined),
  }
}

/** Returns a key that is equal for all tokens of a principal. Other claims, such as a tenant's, are those of another one. */
function keyOf({ id, claims }: Principal): string {
  return principalKey({ id, ...(claims && { claims }) })
}

/** The owner of the view. */
interface ScopeOptions {
  readonly shared: boolean
  readonly principal: Principal | undefined
}
