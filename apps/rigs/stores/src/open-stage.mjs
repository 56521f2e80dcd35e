import { setTimeout as delay } from "node:timers/promises"
import { Client } from "@modelcontextprotocol/client"
import { action, createAgenticService, state, toObservable } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { map } from "rxjs"

/** Milliseconds without a notice that count as quiet: longer than the notice window and any library's delay. */
const QUIET = 150
/** Milliseconds to wait for notices; later ones count as missing. */
const PATIENCE = 3_000

const anything = {}

/**
 * Serves states that follow a source, with a client that reads them: `todos` is the source itself, `size` and `first` are
 * derived from it (`first` throws while there is no todo), and `steady` is independent of it.
 */
export async function openStage(source, inner) {
  const service = createAgenticService({
    name: "stage",
    states: {
      todos: state({ description: "The source", schema: anything, value: source }),
      size: state({
        description: "Its length",
        schema: anything,
        value: partOf(source, (todos) => inner(todos).length),
      }),
      first: state({
        description: "Its first",
        schema: anything,
        value: partOf(source, (todos) => inner(todos)[0].title),
      }),
      steady: state({ description: "Something else", schema: anything, value: "steady" }),
    },
  })
  return openAudience(service)
}

/** Serves one action whose condition is a source. */
export async function openDoor(when) {
  const go = action({ description: "Go", when, execute: () => "gone" })
  return openAudience(createAgenticService({ name: "door", actions: { go } }))
}

/** Maps a source. If the source is invalid, `todos` reports that. */
function partOf(source, part) {
  return toObservable(source).pipe(map(part))
}

/** Serves a service to a client that follows all its states. */
async function openAudience(service) {
  const adapter = createMcpAdapter(service)
  const diagnostics = []
  const watching = adapter.events.subscribe((event) => {
    if (event.type === "diagnostic") diagnostics.push(toText(event.diagnostic))
  })
  const client = new Client({ name: "audience", version: "0" }, { versionNegotiation: { mode: "legacy" } })
  await client.connect(connectInMemory(adapter))
  let told = []
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(keyOf(params.uri)))
  const followed = new Set()

  return {
    diagnostics,
    /** Returns the keys of the listed states, and subscribes to each. */
    async states() {
      const uris = (await client.listResources()).resources.map(({ uri }) => uri)
      for (const uri of uris) await follow(uri)
      return uris.map(keyOf)
    },
    /** Returns whether a door's action is listed. */
    async isOpen() {
      return (await client.listTools()).tools.some(({ name }) => name === "go")
    },
    /** Reads a state. Returns `undefined` if it does not exist. */
    async read(key) {
      const uri = [...followed].find((followed) => keyOf(followed) === key)
      try {
        return uri && JSON.parse((await client.readResource({ uri })).contents[0].text)
      } catch {
        return undefined
      }
    },
    /** Runs `act`, waits for the `expected` key if given, then until it is quiet. Returns the keys of all notices. */
    async toldBy(act, expected) {
      await delay(QUIET)
      told = []
      await act()
      if (expected) await until(() => told.includes(expected))
      await delay(QUIET)
      return told
    },
    async close() {
      await client.close()
      watching.unsubscribe()
      adapter.close()
      service.close()
      await delay(QUIET)
    },
  }

  async function follow(uri) {
    if (followed.has(uri)) return
    followed.add(uri)
    await client.subscribeResource({ uri })
  }
}

/** Polls until a condition holds, or patience ends. */
export async function until(look) {
  const end = Date.now() + PATIENCE
  for (;;) {
    if (await look()) return true
    if (Date.now() > end) return false
    await delay(10)
  }
}

function keyOf(uri) {
  return uri.slice(uri.lastIndexOf("/") + 1)
}

function toText({ code, message, cause }) {
  return `${code}: ${message}${cause instanceof Error ? ` (${cause.message})` : ""}`
}
