import { join } from "node:path"
import { connect as connectV2 } from "../drivers/sdk-v2.mjs"
import { tapHttp } from "./tap-http.mjs"
import { tapStdio } from "./tap-stdio.mjs"

const office = {
  command: process.execPath,
  args: [join(import.meta.dirname, "..", "..", "client-tests", "src", "office.mjs")],
}

/**
 * One function per leg. Opens an office, connects the client under test with `connect`, and records their messages in the
 * journal. `other` is a second client of the same office: the first learns of its changes without a request of its own in
 * flight. Every opened part is pushed to `closers`, even if a later one fails to open.
 */
export const legs = {
  async HTTP({ connect, journal, closers }) {
    const other = closing(closers, await connectV2(office, "legacy"))
    const tap = closing(closers, await tapHttp(await urlOf(other), journal))
    return { client: closing(closers, await connect(tap.target)), other }
  },
  async stdio({ connect, journal, closers }) {
    const tap = closing(closers, await tapStdio(office, journal))
    const client = closing(closers, await connect(tap.target))
    return { client, other: closing(closers, await connectV2({ url: await urlOf(client) }, "auto")) }
  },
}

function closing(closers, opened) {
  closers.push(() => opened.close())
  return opened
}

async function urlOf(client) {
  return JSON.parse((await client.call("get_state", { keys: ["url"] })).text).url
}
