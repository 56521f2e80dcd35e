/**
 * What carries the frames of a wire: three functions. A WebSocket, a `MessagePort`, a hot channel of a bundler or a broker can
 * be one; frames arrive whole, once, and in the order in which they were sent, or the channel is closed.
 */
export interface Channel {
  /** Sends one frame. Never throws; what is sent on a closed channel is dropped. */
  send(frame: string): void
  /** Begins to listen; called once. Frames that came before are told first, and a close that came before as well. */
  listen(listener: ChannelListener): void
  /** Closes both directions; idempotent. The other side is told the reason where the channel can carry one. */
  close(reason?: string): void
}

/** Who hears what a channel brings. Neither function throws. */
export interface ChannelListener {
  /** A frame arrived. */
  frame(frame: string): void
  /** The channel is closed, by whichever side or by an accident; told once, and last. */
  closed(reason: string): void
}

/** How an end of the wire is doing, with its counterpart in mind. */
export interface WireEnd {
  /** Settles, and never rejects, once this end is closed. */
  readonly closed: Promise<WireClosed>
  /** Says goodbye with the reason and closes the channel; idempotent. */
  close(reason?: string): void
}

/** Why a wire ended. */
export interface WireClosed {
  /**
   * What kind of end it was: `left` (a side said goodbye), `lost` (the channel broke or fell silent), `version` (the two sides
   * speak different versions), `malformed` and `limit` (the other side did not keep to the rules).
   */
  readonly code: WireClosedCode
  /** What happened, in a sentence for people and models. */
  readonly reason: string
}

/** The kinds of end; see {@link WireClosed.code}. */
export type WireClosedCode = "left" | "lost" | "version" | "malformed" | "limit"
