import type { JSONRPCRequest } from "@modelcontextprotocol/server"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import recorded from "../../../test/support/client-requests.json" with { type: "json" }
import { createEndpoint } from "../../create-endpoint.js"
import type { Connection, Endpoint } from "../../endpoint.js"
import { isModernOnly } from "../../handlers/methods.js"
import { type FetchHandler, toFetchHandler } from "../fetch.js"
import { createMcpSite } from "../http/mcp-site.js"
import { toInitialize, toRequest } from "../http/requests.fixture.js"
import { readClaim } from "./era.js"
import {
  createLawAdapter,
  lawOptions,
  readTask,
  reportedCalls,
  requestsOf,
  startTask,
  TASK,
  toComparable,
} from "./lane.fixture.js"
import { checkBody } from "./messages.js"
import { readPlain } from "./plain-request.js"

const adapter = createLawAdapter()
const endpoint = createEndpoint(adapter, lawOptions)
/** Returns an endpoint whose requests are all answered by the SDK. Methods of the other era stay unknown. */
const withoutLane = (era: "modern" | "legacy"): Endpoint => ({
  ...endpoint,
  openAt(path, principal, client) {
    const connection = endpoint.openAt(path, principal, client)
    const ownHandler: Connection["ownHandler"] = (method) =>
      era === "legacy" && isModernOnly(method) ? connection?.ownHandler(method) : undefined
    return connection && { ...connection, ownHandler }
  },
})
afterAll(() => adapter.close())

/** A way to send requests over HTTP. */
interface Way {
  readonly legacy?: "stateless"
  /** Returns the headers of a request. */
  headers(request: JSONRPCRequest, session: string): Record<string, string>
}

const ways: Readonly<Record<"modern" | "session" | "stateless", Way>> = {
  modern: {
    headers: ({ method, params = {} }) => {
      const subject = params["name"] ?? params["uri"] ?? params["taskId"]
      return {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(typeof subject === "string" && /^[\w:/]+$/.test(subject) && { "mcp-name": subject }),
      }
    },
  },
  session: { headers: (_, session) => ({ "mcp-session-id": session }) },
  stateless: { legacy: "stateless", headers: () => ({}) },
}

const STREAMED = "application/json, text/event-stream"

describe("createLane", () => {
  it.each(["modern", "session", "stateless"] as const)(
    "changes no byte of what a client gets over HTTP, %s",
    async (name) => {
      const { legacy = "sessions", headers } = ways[name]
      const serve = (served: Endpoint): FetchHandler => toFetchHandler(createMcpSite(served, { legacy }, () => []))
      const era = name === "modern" ? "modern" : "legacy"
      const [lane, sdk] = await Promise.all([serve(endpoint), serve(withoutLane(era))].map(open))
      const accepts = fc.constantFrom(STREAMED, "application/json")
      const requests = [...reportedCalls(era), startTask, readTask(TASK)]
      const examples = requests.map((request): [typeof request, typeof STREAMED] => [request, STREAMED])
      let streams = 0
      let tasks = 0
      const taskId = name === "modern" && lane !== undefined ? await createTask(lane) : "none"
      await fc.assert(
        fc.asyncProperty(requestsOf(era), accepts, async (given, accept) => {
          const text = JSON.stringify(given).replaceAll(`"${TASK}"`, JSON.stringify(taskId))
          const message: JSONRPCRequest = JSON.parse(text) // sent as it is, valid or not
          if (checkBody(JSON.parse(JSON.stringify(message))).kind !== "request") return
          const ask = ({ handler, session }: Opened) =>
            handler.fetch(toRequest("POST", { ...headers(message, session), accept }, message)).then(toText)
          if (lane === undefined || sdk === undefined) throw new Error("not served")
          const [short, long] = [await ask(lane), await ask(sdk)]
          expect(short).toBe(long)
          if (long.includes("text/event-stream")) streams += 1
          if (long.includes('"taskId"')) tasks += 1
        }),
        { numRuns: 400, examples },
      )
      await Promise.all([lane?.handler.close(), sdk?.handler.close()])
      if (name !== "stateless") expect(streams).toBeGreaterThan(1)
      if (name === "modern") expect(tasks).toBeGreaterThan(1)
    },
  )
})

/** Methods that the SDK answers: an introduction, a stream, an empty list. */
const OTHERS = ["initialize", "ping", "server/discover", "subscriptions/listen", "logging/setLevel", "prompts/list"]

describe.each(recorded)("the requests that $client $version sends", ({ requests }) => {
  const asked = requests.filter(({ message }) => !OTHERS.includes(message.method))

  it("are plain", () => {
    const connection = endpoint.open(undefined)
    const left = asked.filter(({ message }) => {
      const request = message as JSONRPCRequest // recorded from a client
      const era = readClaim(request).kind === "version" ? "modern" : "legacy"
      return readPlain(connection, era, request) === undefined
    })
    connection.release()

    expect(asked.length).toBeGreaterThan(0)
    expect(left).toEqual([])
  })

  it("get the same bytes as from the SDK's server", async () => {
    const handlers = [endpoint, withoutLane("modern")].map((served) =>
      toFetchHandler(createMcpSite(served, {}, () => [])),
    )
    const answers = handlers.map(async (handler) => {
      const { session } = await open(handler)
      const texts: string[] = []
      for (const { headers, message } of asked) {
        const said = { ...headers, ...("mcp-session-id" in headers && { "mcp-session-id": session }) }
        texts.push(await handler.fetch(toCall(said, message)).then(toText))
      }
      await handler.close()
      return texts
    })
    const [lane, sdk] = await Promise.all(answers)

    expect(lane).toEqual(sdk)
    expect(lane?.every((text) => text.startsWith("200 "))).toBe(true)
  })
})

/** Creates a recorded request. It calls a tool of ours in place of the recorded one. */
function toCall(
  headers: Readonly<Record<string, string | undefined>>,
  message: (typeof recorded)[number]["requests"][number]["message"],
): Request {
  const isCall = message.method === "tools/call"
  const params = isCall ? { ...message.params, name: "reporting", arguments: {} } : message.params
  const named = isCall && "mcp-name" in headers ? { "mcp-name": "reporting" } : {}
  const given = Object.entries({ ...headers, ...named }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return toRequest("POST", Object.fromEntries(given), { ...message, params })
}

interface Opened {
  readonly handler: FetchHandler
  readonly session: string
}

async function open(handler: FetchHandler): Promise<Opened> {
  const opened = await handler.fetch(toInitialize())
  return { handler, session: opened.headers.get("mcp-session-id") ?? "" }
}

/** Creates a task that has ended. Returns its id. */
async function createTask({ handler }: Opened): Promise<string> {
  const send = async (message: typeof startTask, name: string): Promise<Record<string, unknown>> => {
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": message.method, "mcp-name": name }
    const response = await handler.fetch(toRequest("POST", { ...headers, accept: STREAMED }, message))
    return Object(JSON.parse(await response.text()))["result"]
  }
  const taskId = String((await send(startTask, "long"))["taskId"])
  await expect.poll(() => send(readTask(taskId), taskId)).toMatchObject({ status: "completed" })
  return taskId
}

async function toText(response: Response): Promise<string> {
  const body = toComparable(await response.text()).replace(/^id: .*$/gm, "id: event")
  return `${response.status} ${response.headers.get("content-type")}\n${body}`
}
