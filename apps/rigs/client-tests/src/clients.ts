import { connectV1 } from "./connect-v1.js"
import { connectV2Auto, connectV2Legacy } from "./connect-v2.js"
import type { Connect, Peer } from "./peer.js"

/** The tested clients, with the era in which each connects. */
export const clients: readonly { readonly client: string; readonly connect: Connect; readonly era: Peer["era"] }[] = [
  { client: "SDK v1", connect: connectV1, era: "legacy" },
  { client: "SDK v2", connect: connectV2Legacy, era: "legacy" },
  { client: "SDK v2 in auto mode", connect: connectV2Auto, era: "modern" },
]
