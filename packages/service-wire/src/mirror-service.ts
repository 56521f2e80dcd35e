import type { AgenticService } from "@x/agentic-service"
import type { Observable } from "rxjs"
import type { Channel } from "./channel.js"
import type { MirrorStatus } from "./mirror/current-connection.js"
import { createMirrorSwitch, type MirrorOptions, type MirrorSource } from "./mirror-switch.js"

/** A mirror of a service across a channel. */
export interface MirroredService extends AgenticService {
  /** The current status and its changes. Never errors; completes with {@link MirroredService.close}. */
  readonly status: Observable<MirrorStatus>
  /**
   * Continues over another channel, which begins with a snapshot. Members that did not change stay the same objects. The
   * previous channel is closed if it is still open.
   */
  resume(channel: Channel): void
  /** Says goodbye and completes all observables; idempotent. */
  close(): void
}

/**
 * Mirrors the service that is offered on the other side of a channel. The mirror is a service like any other: serve it, link it
 * or use it by hand. It is complete once its `status` is `live`. Without a channel it has no states and no actions, and its
 * declared members say why.
 * @param channel - Omit it if the first channel comes later, through {@link MirroredService.resume}.
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { mirrorService } from "@x/service-wire"
 * import { fromMessagePort } from "@x/service-wire/message-port"
 *
 * const { port1 } = new MessageChannel()
 * const board = mirrorService(fromMessagePort(port1))
 * const adapter = createMcpAdapter(board)
 * adapter.close()
 * board.close()
 * ```
 */
export function mirrorService(channel?: Channel, options: MirrorOptions = {}): MirroredService {
  let source: MirrorSource | undefined
  const mirror = createMirrorSwitch(options, () => {
    if (source?.isWhole() === true) source.select()
  })
  const resume = (next: Channel): void => {
    const before = source
    source = mirror.attach(next, {
      changed() {
        if (!mirror.isWaiting() || source?.covers() === true) source?.select()
      },
    })
    before?.close("the mirror continues over another channel")
  }
  if (channel === undefined) mirror.absent("no channel is connected yet")
  else resume(channel)
  return Object.assign(mirror.service, { status: mirror.status, resume, close: mirror.close })
}
