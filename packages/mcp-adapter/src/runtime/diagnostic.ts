/** A message for the operator: a member left out, a source that failed, a limit reached. */
export interface Diagnostic {
  /** The kind of diagnostic. */
  readonly code: DiagnosticCode
  /** States the finding, the expectation and the remedy. */
  readonly message: string
  /** The service concerned, as link keys from the root; empty for the root. */
  readonly path?: readonly string[]
  /** The member concerned. */
  readonly key?: string
  /** The thrown value; for logs, never for clients. */
  readonly cause?: unknown
}

/** The kinds of {@link Diagnostic}. */
export type DiagnosticCode =
  | "source_failed"
  | "member_invalid"
  | "schema_unpublishable"
  | "schema_loosened"
  | "header_unpublishable"
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
  | "answered_elsewhere"
  | "links_unsupported"
  | "links_traded"
  | "id_shared"
  | "exposure_unknown"
  | "host_refused"
  | "origin_refused"
  | "auth_refused"
  | "metadata_unserved"
  | "stream_unserved"
  | "body_refused"
  | "rate_limit"
  | "listen_limit"
  | "held_limit"
  | "result_too_large"
  | "definition_too_large"
  | "stray_output"
  | "records_unavailable"

/**
 * Takes diagnostics; never throws.
 *
 * @param view - The id of the view concerned, see `View.id`; absent if it concerns no single view.
 */
export type Report = (diagnostic: Diagnostic, view?: string) => void
