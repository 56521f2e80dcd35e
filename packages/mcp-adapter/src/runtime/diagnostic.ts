/** Something an operator should know: a member left out, a source that failed, a limit reached. */
export interface Diagnostic {
  /** What kind of thing it is. */
  readonly code: DiagnosticCode
  /** What was found, what was expected and what to do. */
  readonly message: string
  /** The service it concerns, as link keys from the root; empty for the root. */
  readonly path?: readonly string[]
  /** The member it concerns. */
  readonly key?: string
  /** What was thrown; for logs, never for clients. */
  readonly cause?: unknown
}

/** The kinds of {@link Diagnostic}. */
export type DiagnosticCode =
  | "source_failed"
  | "member_invalid"
  | "schema_unpublishable"
  | "schema_loosened"
  | "name_clash"
  | "name_alike"
  | "depth_limit"
  | "tool_limit"
  | "state_limit"
  | "service_limit"
  | "waiting"
  | "result_invalid"
  | "action_failed"
  | "transport_failed"
  | "peer_dropped"
  | "session_dropped"
  | "handler_failed"
  | "links_unsupported"
  | "links_traded"
  | "id_shared"
  | "exposure_unknown"
  | "auth_refused"
  | "metadata_unserved"
  | "body_refused"
  | "rate_limit"
  | "listen_limit"
  | "held_limit"
  | "result_too_large"
  | "definition_too_large"
  | "stray_output"

/**
 * Takes diagnostics; never throws.
 *
 * @param view - The identity of the view that it concerns, see `View.id`; absent where it concerns no single view.
 */
export type Report = (diagnostic: Diagnostic, view?: string) => void
