import { fileURLToPath } from "node:url"
import { connectV2Auto, connectV2Legacy } from "./connect-v2.js"
import type { Connect, Peer } from "./peer.js"

/** An office for a single client. */
export interface Office {
  /** The client that is tested. */
  readonly peer: Peer
  /** Another client of the same office, whose changes reach the first while it has no request in flight. */
  readonly other: Peer
  /** Disconnects both, and ends the office. */
  close(): Promise<void>
}

/** Opens an office that the client starts itself, and speaks to over stdio. */
export async function openOverStdio(connect: Connect): Promise<Office> {
  const peer = await connect(office)
  const other = await connectV2Auto({ url: await peer.read(URL_STATE) })
  return { peer, other, close: () => other.close().finally(peer.close) }
}

/** Opens an office started by the other client, and connects this one over HTTP. */
export async function openOverHttp(connect: Connect): Promise<Office> {
  const other = await connectV2Legacy(office)
  const peer = await connect({ url: await other.read(URL_STATE) })
  return { peer, other, close: () => peer.close().finally(other.close) }
}

/** The command that starts an office in an exposure. Default: `dynamic`. */
export const officeIn = (...exposure: readonly string[]) => {
  return { command: process.execPath, args: [fileURLToPath(new URL("office.mjs", import.meta.url)), ...exposure] }
}

const office = officeIn()
/** The state with the URL for other clients. */
export const URL_STATE = "agentic://office/url"
