/**
 * A transport for the frames of a wire: three functions. A WebSocket, a `MessagePort`, a bundler's hot channel or a broker can
 * be one. Frames arrive whole, once and in the order they were sent; otherwise the channel is closed.
 */
export interface Channel {
  /** Sends one frame. Never throws. Frames sent on a closed channel are dropped. */
  send(frame: string): void
  /** Starts listening; called once. Frames and a close that arrived earlier are delivered first. */
  listen(listener: ChannelListener): void
  /** Closes both directions; idempotent. The other side gets the reason if the channel can carry one. */
  close(reason?: string): void
}

/** Receives the events of a channel. Neither function throws. */
export interface ChannelListener {
  /** Called for each frame that arrives. */
  frame(frame: string): void
  /** Called once, last, when the channel is closed by either side or by a failure. */
  closed(reason: string): void
}

/** One end of a wire. */
export interface WireEnd {
  /** Settles once this end is closed; never rejects. */
  readonly closed: Promise<WireClosed>
  /** Says goodbye with the reason and closes the channel; idempotent. */
  close(reason?: string): void
}

/** How and why a wire ended. */
export interface WireClosed {
  /**
   * The kind of end: `left` (a side said goodbye), `lost` (the channel broke or fell silent), `version` (the sides speak
   * different versions), `malformed` and `limit` (the other side broke the protocol or its limits).
   */
  readonly code: WireClosedCode
  /** A sentence for people and models that says what happened. */
  readonly reason: string
}

/** The kinds of end; see {@link WireClosed.code}. */
export type WireClosedCode = "left" | "lost" | "version" | "malformed" | "limit"
