import { connectV1 } from "./connect-v1.js"
import { connectV2Auto, connectV2Legacy } from "./connect-v2.js"
import type { Connect, Peer } from "./peer.js"

/** The clients that everything is tested with, and the era that each is to connect in. */
export const clients: readonly { readonly client: string; readonly connect: Connect; readonly era: Peer["era"] }[] = [
  { client: "SDK v1", connect: connectV1, era: "legacy" },
  { client: "SDK v2", connect: connectV2Legacy, era: "legacy" },
  { client: "SDK v2 in auto mode", connect: connectV2Auto, era: "modern" },
]
