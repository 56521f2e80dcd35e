import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/server"
import { createStopSource } from "@x/agentic-service/adapter"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import type { Leg } from "../../calls/call-context.js"
import { createEndpoint } from "../../create-endpoint.js"
import { createServer, findFault } from "./create-server.js"
import { encodeMessage } from "./encode-message.js"
import type { Encoded } from "./encoded.js"
import { readClaim } from "./era.js"
import { createLawAdapter, lawActions, lawOptions, requestsOf, toComparable } from "./lane.fixture.js"
import { checkBody } from "./messages.js"
import { answerPlain, readPlain } from "./plain-request.js"
import { CLASSIFIED, connectModern } from "./sdk-transport.js"
import { createStops } from "./stops.js"

const legs: Readonly<Record<Leg["era"], Leg>> = {
  modern: { transport: "http", era: "modern", notices: true },
  legacy: { transport: "http", era: "legacy", notices: true },
}
const adapter = createLawAdapter()
const endpoint = createEndpoint(adapter, lawOptions)
const connection = endpoint.open(undefined)
afterAll(() => {
  connection.release()
  adapter.close()
})

/** Answers a request through the SDK's server. Returns its notifications and its answer. */
async function bySdk(era: Leg["era"], request: JSONRPCRequest): Promise<string> {
  const caller = { client: "law", leg: legs[era] }
  const server = createServer(endpoint, connection, { caller, stops: createStops(), failed: () => {} })
  const told: string[] = []
  let answered = (_: JSONRPCMessage): void => {}
  const transport: Transport = {
    start: async () => {},
    async send(message) {
      if ("method" in message) told.push(JSON.stringify(message))
      else answered(message)
    },
    close: async () => transport.onclose?.(),
  }
  const ask = (line: Transport, message: JSONRPCRequest) =>
    new Promise<JSONRPCMessage>((resolve) => {
      answered = resolve
      line.onmessage?.(message, era === "modern" ? CLASSIFIED : undefined)
    })
  if (era === "legacy") {
    await server.connect(transport)
    await ask(transport, { jsonrpc: "2.0", id: "law", method: "initialize", params: INTRODUCTION })
  }
  const line = era === "legacy" ? transport : await connectModern(server, { send: transport.send, close: () => {} })
  const message = await ask(line, request)
  await server.close()
  return toComparable([...told, textOf(encodeMessage(endpoint.host, message))].join("\n"))
}

const INTRODUCTION = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "n", version: "1" } }

/** Answers a plain request in the lane. */
async function inLane(era: Leg["era"], request: JSONRPCRequest): Promise<string | undefined> {
  const plain = readPlain(connection, era, request)
  const said = era === "legacy" && { clientInfo: INTRODUCTION.clientInfo, clientCapabilities: {} }
  const caller = { client: "law", leg: legs[era], ...said }
  const told: string[] = []
  const answer =
    plain &&
    (await answerPlain(endpoint, plain, {
      ...{ caller, stop, logLevel: era === "legacy" ? "debug" : undefined },
      tell: (message) => told.push(JSON.stringify(message)),
      failed: () => {},
    }))
  if (answer?.kind !== "message") return undefined
  return toComparable([...told, textOf(encodeMessage(endpoint.host, answer.message))].join("\n"))
}

const stop = createStopSource()

function textOf(encoded: Encoded): string {
  return typeof encoded === "string" ? encoded : Buffer.concat(encoded).toString()
}

describe("readPlain", () => {
  it.each(["modern", "legacy"] as const)(
    "accepts only requests that the SDK's server answers with the same bytes, %s",
    async (era) => {
      let plain = 0
      let others = 0
      await fc.assert(
        fc.asyncProperty(requestsOf(era), async (given) => {
          const body = checkBody(JSON.parse(JSON.stringify(given)))
          if (body.kind !== "request" || (readClaim(body.message).kind === "version") !== (era === "modern")) return
          if (findFault(endpoint, { connection, leg: legs[era] }, body.message) !== undefined) return
          const short = await inLane(era, body.message)
          if (short === undefined) others += 1
          else {
            plain += 1
            expect(short).toBe(await bySdk(era, body.message))
          }
        }),
        { numRuns: 700 },
      )
      expect(plain).toBeGreaterThan(100)
      expect(others).toBeGreaterThan(15)
    },
  )

  it("accepts our tools' results, except for authors' content fields and questions", async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "client", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    }
    const answers = Object.keys(lawActions).map(async (name) => {
      const short = await inLane("modern", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, _meta } })
      return short === undefined ? [name] : []
    })

    expect((await Promise.all(answers)).flat()).toEqual(["blocks", "meant", "annotated", "asking"])
  })

  it("leaves methods of an extension to the SDK", () => {
    const extended = createEndpoint(adapter, { extension: { methods: { "tools/list": (own) => own } } }).open(undefined)
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    }
    const ask = (method: string, params: object) =>
      readPlain(extended, "modern", { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } })

    expect(ask("tools/list", {})).toBeUndefined()
    expect(ask("tools/call", { name: "text" })).toBeDefined()
    expect(ask("prompts/list", {})).toBeUndefined()
    extended.release()
  })
})
