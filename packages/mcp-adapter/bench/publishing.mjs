// Measures how long publishing 5,000 tools with their own schemas blocks other work: the longest stretch without a turn for
// others, and the total. Processor time in milliseconds, so that a busy machine matters little.
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"

const ROUNDS = 5
const TOOLS = 5_000
/** Publishing in one piece took more than 2,000. */
const LIMIT = 200

const rounds = []
for (let round = 0; round <= ROUNDS; round += 1) {
  const measured = await measure(createService(round))
  // The first round is a warm-up.
  if (round > 0) rounds.push(measured)
}
const longest = report("the longest stretch", ({ stretch }) => stretch)
report("all of it", ({ all }) => all)
if (longest > LIMIT) process.exitCode = 1

function report(name, read) {
  const sorted = rounds.map(read).sort((a, b) => a - b)
  const median = sorted[Math.floor(ROUNDS / 2)]
  console.log(`${name}: ${median.toFixed(0)} ms (${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)})`)
  return median
}

/** Measures from creation to the first complete list. */
async function measure(service) {
  const begin = process.cpuUsage()
  let last = begin
  let stretch = 0
  let done = false
  const turn = () => {
    stretch = Math.max(stretch, since(last))
    last = process.cpuUsage()
    if (!done) setImmediate(turn)
  }
  setImmediate(turn)
  const adapter = createMcpAdapter(service, { limits: { tools: 2 * TOOLS, readyWaitMs: 60_000 } })
  const { tools } = await adapter.list()
  const all = since(begin)
  if (tools.length < TOOLS) throw new Error(`${tools.length} tools listed, expected ${TOOLS}`)
  await new Promise(setImmediate)
  done = true
  adapter.close()
  return { stretch, all }
}

function since(begin) {
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1_000
}

function createService(round) {
  const toAction = (index) =>
    action({
      description: `Order ${index} of ${round}`,
      input: {
        type: "object",
        properties: {
          id: { type: "string", format: "uuid", description: `The order's id, of shop ${index}` },
          size: { type: "string", enum: ["small", "medium", `large-${index}`] },
          count: { type: "integer", minimum: 1, maximum: index + 10 },
          tags: { type: "array", items: { type: "string", minLength: 1 }, maxItems: 20 },
        },
        required: ["id", "size"],
        additionalProperties: false,
      },
      execute() {},
    })
  const entries = Array.from({ length: TOOLS }, (_, index) => [`a${index}`, toAction(index)])
  return createAgenticService({ name: "shops", actions: Object.fromEntries(entries) })
}
