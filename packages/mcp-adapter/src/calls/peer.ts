/** The client at the other end of a request, while the request lasts; once it is answered, nothing more is sent. */
export interface Peer {
  /**
   * Sends a notification that belongs to the request. What the revision does not know is reported to the operator and not
   * sent.
   */
  notify(method: string, params?: Readonly<Record<string, unknown>>): void
  /**
   * Sends a log message, where the server announces `logging` and the client wants to hear of this level: in the legacy
   * era all of them unless it has set one (2025-11-25, server/utilities/logging), in the modern era none unless the
   * request names one (2026-07-28, server/utilities/logging).
   *
   * @param logger - Names the part of the application that speaks.
   */
  log(level: LogLevel, data: unknown, logger?: string): void
  /**
   * Asks the client for something, such as `sampling/createMessage`, and waits for at most ten minutes. Rejects when the
   * client refuses, or never declared that it can. Absent where a server cannot ask: in the modern era, where a handler
   * returns `input_required` instead (2026-07-28, basic/patterns/mrtr), and on a legacy connection without streams.
   */
  request?(method: string, params?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

/** How much a log message matters, from the least (RFC 5424). */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"
