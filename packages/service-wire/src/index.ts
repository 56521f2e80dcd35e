export type { Channel, ChannelListener, WireClosed, WireClosedCode, WireEnd } from "./channel.js"
export { defaultWireLimits, type WireLimits } from "./limits.js"
export type { MirrorStatus } from "./mirror/current-connection.js"
export type { SourcePlace } from "./mirror/occupant.js"
export { type MirroredService, mirrorService } from "./mirror-service.js"
export {
  createMirrorSwitch,
  type MirrorOptions,
  type MirrorSource,
  type MirrorSwitch,
  type SourceListener,
} from "./mirror-switch.js"
export type { AskHere } from "./offer/answer-calls.js"
export type { AskedHere } from "./offer/offered-service.js"
export { type OfferOptions, offerService } from "./offer-service.js"
export { WireError, type WireErrorCode } from "./wire-error.js"
