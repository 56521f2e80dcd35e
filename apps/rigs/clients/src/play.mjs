import assert from "node:assert/strict"
import { releaseOf } from "./clients.mjs"
import { compareTools } from "./compare-tools.mjs"
import { createJournal } from "./create-journal.mjs"
import { legs } from "./open-office.mjs"
import { recordRequests } from "./record-requests.mjs"

/** Milliseconds to wait for an expected reaction, even on a busy machine, and to watch for an unexpected one. */
const PATIENCE = 30_000
const LOOK = 2_000

/** Plays list, call, error, list_changed and re-list with a client. Resolves to the observations; rejects on failure. */
export async function play(client, leg) {
  const { connect } = await import(`../drivers/${client.driver}.mjs`)
  const journal = createJournal()
  const closers = []
  try {
    const office = await legs[leg]({ connect: (target) => connect(target, client.way), journal, closers })
    const seen = await playAll(office, { journal, client, leg })
    if (leg === "HTTP") {
      const { version } = releaseOf(client)
      recordRequests({ client: client.title, version, from: "pnpm rig clients" }, journal.entries)
    }
    return seen
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function playAll(office, { journal, client, leg }) {
  const tools = await list(office)
  const changes = compareTools(listedIn(journal.entries), tools)
  await callTool(office)
  await refuseCall(office)
  const unknownTool = await callUnknownTool(office, journal)
  const { told, follows } = await changeList(office, { journal, client, leg })
  await listAgain(office)
  const revision = revisionIn(journal.entries)
  assert.ok(client.revisions.includes(revision), `it speaks a revision of ${client.revisions}: ${revision}`)
  assert.equal(follows, client.follows, "whether it lists again by itself")
  const refused = journal.entries.flatMap(({ refused }) => refused ?? [])
  assert.deepEqual(refused, [], "no request is rejected")
  return { revision, told, follows, unknownTool, changes }
}

async function list({ client }) {
  const tools = await client.list()
  const names = tools.map(({ name }) => name)
  for (const name of ["audit", "board__add", "board__columns__todo__add", "get_state"])
    assert.ok(names.includes(name), `"${name}" is listed`)
  assert.ok(!names.includes("board__archive"), `"board__archive" is not listed while no card is finished`)
  assert.ok(!names.includes(NEW_TOOL), `"${NEW_TOOL}" is not listed before it exists`)
  return tools
}

async function callTool({ client }) {
  const { isError, text } = await client.call("board__add", { title: "Water the plants" })
  assert.ok(!isError, `a call succeeds: ${text}`)
  assert.match(text, /"id":"c\d+"/)
}

async function refuseCall({ client }) {
  const { isError, text } = await client.call("board__add", { title: "Water the plants", column: "garden" })
  assert.ok(isError, "a refused call is an error")
  assert.match(text, /choose from "todo"/)
}

async function callUnknownTool({ client }, { entries }) {
  const name = "board__nothing"
  await assert.rejects(async () => client.call(name, {}), "a call of an unknown tool rejects")
  const isCall = ({ from, message }) => from === "client" && message.params?.name === name
  const id = entries.find(isCall)?.message.id
  if (id === undefined) return "refused by the client"
  const { message } = entries.find((entry) => entry.from === "server" && entry.message.id === id)
  assert.equal(message.error?.code, -32602)
  return "protocol error -32602"
}

/** Lets another client change the list. Checks whether this client gets a notice and lists again by itself. */
async function changeList({ other }, { journal, client, leg }) {
  if (client.follows) assert.ok(await journal.until(isListening(leg), { patience: PATIENCE }), "it listens for notices")
  const from = journal.entries.length
  const told = journal.entries.some(isListening(leg))
  const { isError, text } = await other.call("board__add_column", { title: "Waiting" })
  assert.ok(!isError, text)
  const isNotice = isFrom("server", "notifications/tools/list_changed")
  if (told) assert.ok(await journal.until(isNotice, { from, patience: PATIENCE }), "the listening client is notified")
  const patience = client.follows ? PATIENCE : LOOK
  const follows = (await journal.until(isFrom("client", "tools/list"), { from, patience })) !== undefined
  return { told, follows }
}

async function listAgain({ client }) {
  const names = (await client.list()).map(({ name }) => name)
  assert.ok(names.includes(NEW_TOOL), `"${NEW_TOOL}" is listed after the change`)
}

const NEW_TOOL = "board__columns__waiting__add"

function isListening(leg) {
  const acknowledged = isFrom("server", "notifications/subscriptions/acknowledged")
  const initialized = isFrom("client", "notifications/initialized")
  return (entry) => entry.opened === true || acknowledged(entry) || (leg === "stdio" && initialized(entry))
}

function isFrom(side, method) {
  return ({ from, message }) => from === side && message?.method === method
}

/** Returns the tools of the first list on the wire, as the server sent them. */
function listedIn(entries) {
  return entries.find(({ message }) => message?.result?.tools !== undefined).message.result.tools
}

/** Returns the revision that the last request names, or that the handshake negotiated. */
function revisionIn(entries) {
  const said = entries.flatMap(({ message }) => {
    const { params, result } = message ?? {}
    return params?._meta?.["io.modelcontextprotocol/protocolVersion"] ?? result?.protocolVersion ?? []
  })
  return said.at(-1)
}
