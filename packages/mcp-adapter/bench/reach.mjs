// How many of our files one thing makes run: a call, from the handler to its outcome, and an emission, from the source to the
// notice. Whoever looks for a fault reads these, so their number is what locality costs or saves. V8 says which functions
// ran; a file that was only imported is none of them.
import { Session } from "node:inspector/promises"
import { sep } from "node:path"
import { fileURLToPath } from "node:url"
import { action, createAgenticService, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createEndpoint } from "@x/mcp-adapter/binding"
import { BehaviorSubject, firstValueFrom } from "rxjs"

/**
 * How many files one call, or one emission, may run, so that it can be followed through the code in one sitting. The figure has
 * slack: a file that is split for its readers passes.
 */
const MOST = 42
/** After three calls without effect, no call of that action waits for one any more. */
const WARM_UP = 5

const Title = { type: "object", properties: { title: { type: "string" } }, required: ["title"] }
const Id = { type: "object", properties: { id: { type: "string" } }, required: ["id"] }

const canUndo = new BehaviorSubject(false)
const cards = new BehaviorSubject(["Write the announcement"])
const adapter = createMcpAdapter(createBoard())
const connection = createEndpoint(adapter).open(undefined)
await connection.view.ready

// The adapter's own timers hold no process.
const awake = setInterval(() => undefined, 1_000)
const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })

const reached = {
  "a call, from the handler to its outcome": await measure(() => call("find")),
  "an emission, from the source to the notice": await measure(() => notice(() => canUndo.next(!canUndo.value))),
}
// For comparison: the list that the model gets with the answer is computed in the call that changes it.
const changing = await measure(() => call("add"))
clearInterval(awake)
connection.release()
adapter.close()

console.log(`a call that changes a state: ${changing.length} files`)
for (const [what, files] of Object.entries(reached)) {
  console.log(`${what}: ${files.length} files, at most ${MOST}\n  ${files.join("\n  ")}`)
  if (files.length > MOST) process.exitCode = 1
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
      undo: action({ description: "Take back the last change", when: canUndo, execute: () => undefined }),
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

/** The files of ours in which a function ran while `act` did, once everything has run before. */
async function measure(act) {
  for (let run = 0; run < WARM_UP; run += 1) {
    await act()
    await atRest()
  }
  await session.post("Profiler.takePreciseCoverage")
  await act()
  const { result } = await session.post("Profiler.takePreciseCoverage")
  await atRest()
  return result.filter(isOurs).filter(hasRun).map(toName).sort()
}

/** What `act` leaves behind, its notices for one, belongs to no other measurement. */
function atRest() {
  return new Promise((resolve) => setTimeout(resolve, 100))
}

function isOurs({ url }) {
  return url.startsWith("file:") && /[/\\]packages[/\\][^/\\]+[/\\]dist[/\\]/.test(fileURLToPath(url))
}

/** Whether a function ran that is not the script itself, which runs when it is imported. */
function hasRun({ functions }) {
  return functions.some(
    ({ functionName, ranges: [whole] }) => whole.count > 0 && (functionName !== "" || whole.startOffset > 0),
  )
}

function toName({ url }) {
  return fileURLToPath(url).split(`${sep}packages${sep}`)[1].replace(`${sep}dist${sep}`, "/").replaceAll(sep, "/")
}
