import type { Principal } from "@x/agentic-service"
import type { CallSubject, ChangedEvent, DiagnosticEvent, ListeningClient, View } from "@x/mcp-adapter/binding"

// Alone, because it is the one place that decides what of the stream is shown.

/** Tells what belongs to the view that is looked at. Events of all views come in one stream. */
export interface Scope {
  /** Whether a call was made in the view, and by the principal where one is named. */
  hasCall(call: Pick<CallSubject, "view" | "principal">): boolean
  /** Whether a client listens to the view, as {@link Scope.hasCall} has it. */
  hasClient(client: Pick<ListeningClient, "view" | "principal">): boolean
  /** Whether a change may be one of the view: only what the view finds of it is to be shown. */
  hasChange(event: Pick<ChangedEvent, "view">): boolean
  /** Whether a diagnostic concerns the view, or everybody where everybody has the same view. */
  hasNote(event: Pick<DiagnosticEvent, "view">): boolean
}

/**
 * Creates the scope of a live view.
 *
 * @param shared - Whether everybody has the same view. A principal that is named is then shown its own calls in it.
 */
export function createScope(view: View, { shared, principal }: ScopeOptions): Scope {
  const isOurs = (other: Pick<CallSubject, "view"> & { readonly principal?: { readonly id: string } }): boolean =>
    other.view === view.id && (principal === undefined || other.principal?.id === principal.id)
  return {
    hasCall: isOurs,
    hasClient: isOurs,
    hasChange: (event) => event.view === undefined || event.view === view.id,
    hasNote: (event) => event.view === view.id || (event.view === undefined && shared && principal === undefined),
  }
}

/** Whose view it is. */
interface ScopeOptions {
  readonly shared: boolean
  readonly principal: Principal | undefined
}
