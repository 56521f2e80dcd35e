import { setTimeout as delay } from "node:timers/promises"
import { Client } from "@modelcontextprotocol/client"
import { action, createAgenticService, state, toObservable } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { map } from "rxjs"

/** Longer than the notice window, and than any of the libraries takes to tell. */
const QUIET = 150
/** What has not come by then does not come. */
const PATIENCE = 3_000

const anything = {}

/**
 * Serves states that follow a source, and lets a client look at them: `todos` is the source itself, `size` and `first` are
 * parts of it, of which `first` throws while there is no todo, and `steady` has nothing to do with it.
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

/** A part that cannot even be asked for is for `todos` to complain about. */
function partOf(source, part) {
  return toObservable(source).pipe(map(part))
}

/** A service with a client that follows all its states. */
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
    /** The keys of the states that are there, each of which is followed from now on. */
    async states() {
      const uris = (await client.listResources()).resources.map(({ uri }) => uri)
      for (const uri of uris) await follow(uri)
      return uris.map(keyOf)
    },
    /** Whether the action of a door is there. */
    async isOpen() {
      return (await client.listTools()).tools.some(({ name }) => name === "go")
    },
    /** What a reader gets; a state that is not there is `undefined`. */
    async read(key) {
      const uri = [...followed].find((followed) => keyOf(followed) === key)
      try {
        return uri && JSON.parse((await client.readResource({ uri })).contents[0].text)
      } catch {
        return undefined
      }
    },
    /** What the client is told of while something is done, and until it is quiet again; of what it expects at least. */
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

/** Looks again until it is so. */
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
