import { readFileSync } from "node:fs"
import { join } from "node:path"

const adapter = join(import.meta.dirname, "..", "..", "..", "..", "packages", "mcp-adapter")
const recorded = join(adapter, "test", "support", "client-requests.json")
/** Methods that the SDK answers for every client. */
const OTHERS = ["initialize", "ping", "server/discover", "subscriptions/listen", "logging/setLevel", "prompts/list"]

/** Prints which recorded requests of real clients leave the lane, and so cost as much as the SDK's server. */
export async function printLeaving() {
  const [{ readPlain }, { createEndpoint }, { createMcpAdapter }, { createAgenticService }] = await Promise.all([
    load("border/server/plain-request.js"),
    load("create-endpoint.js"),
    load("create-adapter.js"),
    import("@x/agentic-service"),
  ])
  const served = createMcpAdapter(createAgenticService({ name: "recorded" }))
  const connection = createEndpoint(served).open(undefined)
  const rows = JSON.parse(readFileSync(recorded, "utf8"))
  const leaving = rows.flatMap(({ client, version, requests }) => {
    const left = requests
      .map(({ message }) => message)
      .filter(({ method }) => !OTHERS.includes(method))
      .filter((message) => readPlain(connection, eraOf(message), message) === undefined)
    return left.map(({ method }) => `${client} ${version}: ${method}`)
  })
  connection.release()
  served.close()
  console.log(`requests of ${rows.length} real clients that leave the lane: ${leaving.join(", ") || "none"}`)
}

function load(file) {
  return import(join(adapter, "dist", file))
}

function eraOf({ params }) {
  return params?._meta?.["io.modelcontextprotocol/protocolVersion"] === undefined ? "legacy" : "modern"
}
