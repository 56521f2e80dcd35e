import { classifyInboundRequest } from "@modelcontextprotocol/server"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readClaim } from "../server/era.js"
import { tellEra } from "./tell-era.js"

const VERSION = "io.modelcontextprotocol/protocolVersion"
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
const CLIENT = "io.modelcontextprotocol/clientInfo"

const version = fc.constantFrom("2026-07-28", "2026-07-28", "2025-11-25", "2027-01-01", "x")
const meta = fc.record(
  {
    [VERSION]: fc.oneof({ weight: 5, arbitrary: version }, { weight: 1, arbitrary: fc.constantFrom<unknown>(1, null) }),
    [CAPABILITIES]: fc.constantFrom<unknown>({}, {}, {}, { sampling: {} }, 1, { sampling: 1 }),
    [CLIENT]: fc.constantFrom<unknown>({ name: "a", version: "1" }, { name: "a" }, 1),
    other: fc.constant(1),
  },
  { requiredKeys: [] },
)
const asked = fc.record(
  {
    id: fc.constantFrom(1, "a"),
    params: fc.record(
      {
        _meta: meta,
        name: fc.constantFrom<unknown>("a", "b", 1),
        uri: fc.constantFrom<unknown>("a", "b", 1),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)
const method = fc.constantFrom("tools/list", "tools/call", "resources/read", "prompts/get", "initialize", "x")
const headers = fc.record(
  {
    "mcp-protocol-version": version,
    "mcp-method": fc.constantFrom("tools/list", "tools/call", "resources/read", "initialize", "x"),
    "mcp-name": fc.constantFrom("a", "b", "=?base64?YQ==?="),
  },
  { requiredKeys: [] },
)

describe("tellEra", () => {
  it("decides the era like the SDK, and refuses with the same code", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(asked, method, headers, (rest, method, given) => {
        const message = { jsonrpc: "2.0", method, ...rest }
        const told = tellEra(toHead(given), message, readClaim(message))
        const ours = told.era === "refused" ? told.error.code : told.era
        seen.add(String(ours))
        const theirs = classify(message, given)
        // The body of "initialize" negotiates the revision, so we ignore the headers beside it.
        if (method === "initialize" && ours === "legacy" && "id" in rest) return
        // The SDK checks these two later.
        if (ours === -32022)
          expect([theirs, claimed(message) ?? given["mcp-protocol-version"]]).not.toContain("2026-07-28")
        else if (ours === -32020 && theirs === "modern") expect(repeats(message, given)).toBe(false)
        else expect(ours).toBe(theirs)
      }),
      { numRuns: 5_000 },
    )
    expect([...seen]).toEqual(expect.arrayContaining(["legacy", "modern", "-32020", "-32022", "-32602"]))
  })
})

function classify(body: object, given: Readonly<Partial<Record<string, string>>>): "legacy" | "modern" | number {
  const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = [
    ...[given["mcp-protocol-version"], given["mcp-method"], given["mcp-name"]],
  ]
  const outcome = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
    ...(mcpNameHeader !== undefined && { mcpNameHeader }),
  })
  return outcome.kind === "reject" ? outcome.code : outcome.kind
}

function claimed({ params }: { readonly params?: { readonly _meta?: object } }): unknown {
  return new Map<string, unknown>(Object.entries(params?._meta ?? {})).get(VERSION)
}

/** Whether a request's headers match its body (2026-07-28, basic/transports/streamable-http, standard request headers). */
function repeats(
  {
    method,
    params = {},
  }: { readonly method: string; readonly params?: { readonly name?: unknown; readonly uri?: unknown } },
  given: Readonly<Partial<Record<string, string>>>,
): boolean {
  const named = { "tools/call": params.name, "prompts/get": params.name, "resources/read": params.uri }
  const name = new Map<string, unknown>(Object.entries(named)).get(method)
  const header = given["mcp-name"]?.replace("=?base64?YQ==?=", "a")
  return (
    given["mcp-protocol-version"] !== undefined &&
    given["mcp-method"] === method &&
    (name === undefined || header === name)
  )
}

function toHead(given: Readonly<Partial<Record<string, string>>>) {
  return { method: "POST", url: "http://localhost/mcp", headers: { get: (name: string) => given[name] ?? null } }
}
