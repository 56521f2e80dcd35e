// The child process of tests of killed tasks: serves long actions over HTTP, with tasks in a file. The first argument is the
// file, the second the step before which it holds forever. Prints its URL, "ran" for each run, and "held" at that step.
import { createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { createLibsqlRecords } from "@x/records-libsql"
import { of } from "rxjs"

const [file, step = ""] = process.argv.slice(2)
const print = (line) => process.stdout.write(`${line}\n`)
const hold = (at, write) => {
  if (at !== step) return write()
  print("held")
  return new Promise(() => {})
}

/** Holds before or after a write of a task. */
function watched(records) {
  return {
    ...records,
    collection(options) {
      const own = records.collection(options)
      if (options.name !== "tasks") return own
      return {
        ...own,
        async create(...args) {
          const made = await hold("create", () => own.create(...args))
          return hold("answer", () => made)
        },
        update: (key, value, revision) =>
          value.status === "completed"
            ? hold("end", () => own.update(key, value, revision))
            : own.update(key, value, revision),
      }
    },
  }
}

const Name = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
const long = (description, execute) => ({
  description,
  schema: undefined,
  hints: {},
  long: true,
  check: () => ({ ok: true, input: undefined }),
  execute(_, context) {
    print("ran")
    return execute(context)
  },
})
const actions = {
  quick: long("Ends at once", async () => ({ ok: true, value: { rows: 3 } })),
  slow: long("Never ends", async ({ progress }) => {
    progress({ progress: 3, total: 10, message: "rows" })
    return new Promise(() => {})
  }),
  asks: long("Asks", async () => ({
    ok: "ask",
    questions: { who: { message: "Who?", schema: Name } },
    resume: async () => ({ ok: true, value: "answered" }),
  })),
}
const records = watched(createLibsqlRecords({ file, pollMs: 20 }))
const service = { ...createAgenticService({ name: "board" }), actions: of(actions) }
const adapter = createMcpAdapter(service, { tasks: { patienceMs: 0, leaseMs: 1_000, records } })
const { url } = await serveHttp(adapter, { port: 0 })
print(url)
