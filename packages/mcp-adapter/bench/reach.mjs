// Counts our files that one call runs, from handler to outcome, and one emission, from source to notice, and how often the run
// switches between files: how often a function begins in another file than the one before. Readers who look for a fault follow
// these files, so fewer are better. A merely imported file does not count.
import { action, createAgenticService, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createEndpoint } from "@x/mcp-adapter/binding"
import { BehaviorSubject, firstValueFrom } from "rxjs"

/**
 * The most files and switches between them, so that a reader can follow a call or an emission in one sitting. They have slack:
 * splitting a file for its readers passes, a further detour on the way of every call does not.
 */
const MOST_OF_CALL = { files: 40, switches: 160 }
const MOST_OF_EMISSION = { files: 42, switches: 150 }
/** After three calls without effect, calls of that action no longer wait for one. */
const WARM_UP = 5

const Title = { type: "object", properties: { title: { type: "string" } }, required: ["title"] }
const Id = { type: "object", properties: { id: { type: "string" } }, required: ["id"] }

const canUndo = new BehaviorSubject(false)
const cards = new BehaviorSubject(["Write the announcement"])
const adapter = createMcpAdapter(createBoard())
const connection = createEndpoint(adapter).open(undefined)
await connection.view.ready()

// The adapter's own timers do not keep the process alive.
const awake = setInterval(() => undefined, 1_000)

const walks = [
  {
    what: "a call, from the handler to its outcome",
    walk: await measure(() => call("find")),
    most: MOST_OF_CALL,
  },
  {
    what: "an emission, from the source to the notice",
    walk: await measure(() => notice(() => canUndo.next(!canUndo.value))),
    most: MOST_OF_EMISSION,
  },
]
// For comparison: the call that changes the list also computes it for the answer.
const changing = await measure(() => call("add"))
clearInterval(awake)
connection.release()
adapter.close()

console.log(`a call that changes a state: ${toFigures(changing)}`)
for (const { what, walk, most } of walks) {
  const files = [...new Set(walk)].sort()
  console.log(`${what}: ${toFigures(walk)}, at most ${most.files} and ${most.switches}`)
  for (const file of files) console.log(`  ${file} ${walk.filter((each) => each === file).length}`)
  if (files.length > most.files || walk.length - 1 > most.switches) process.exitCode = 1
}

function toFigures(walk) {
  return `${new Set(walk).size} files, ${walk.length - 1} switches`
}

function createBoard() {
  return createAgenticService({
    name: "board",
    states: { cards: state({ description: "All cards", schema: { type: "array" }, value: cards }) },
    actions: {
      find: action({ description: "Find a card", input: Title, output: Id, execute: () => ({ id: "c1" }) }),
      add: action({
        description: "Add a card",
        input: Title,
        output: Id,
        execute({ title }) {
          cards.next([...cards.value, title])
          return { id: `c${cards.value.length}` }
        },
      }),
      undo: action({ description: "Undo the last change", when: canUndo, execute: () => undefined }),
    },
  })
}

async function call(name) {
  const answer = await connection.handlers["tools/call"](
    { name, arguments: { title: "Water the plants" } },
    {
      client: "bench",
      leg: { transport: "in-memory", era: "modern", notices: true },
      signal: new AbortController().signal,
      clientCapabilities: {},
    },
  )
  if (answer.structuredContent?.id === undefined) throw new Error(`expected the card, found ${JSON.stringify(answer)}`)
}

async function notice(change) {
  const told = firstValueFrom(connection.notices(undefined))
  change()
  await told
}

/** Returns the files through which `act` runs, each time that it enters another one, after a warm-up. */
async function measure(act) {
  for (let run = 0; run < WARM_UP; run += 1) {
    await act()
    await atRest()
  }
  const walk = []
  globalThis.entered = (file) => {
    if (file !== walk.at(-1)) walk.push(file)
  }
  await act()
  globalThis.entered = () => undefined
  await atRest()
  return walk
}

/** Waits for the aftermath of `act`, such as notices, which belongs to no other measurement. */
function atRest() {
  return new Promise((resolve) => setTimeout(resolve, 100))
}
