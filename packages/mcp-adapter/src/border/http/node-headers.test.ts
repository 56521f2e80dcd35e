import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { agreeHeaders } from "./node-headers.js"

const OURS = {
  "access-control-allow-origin": "http://localhost:5173",
  "access-control-expose-headers": "Mcp-Session-Id, Retry-After",
  vary: "Origin",
}

function createResponse(headers: Readonly<Record<string, string | string[]>>) {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  return response
}

describe("agreeHeaders", () => {
  it("keeps an answer's headers if no layer has set any", () => {
    expect(agreeHeaders(createResponse({}), OURS)).toBe(OURS)
  })

  it("merges lists without duplicates", () => {
    const response = createResponse({
      Vary: ["Accept-Encoding", "origin"],
      "Access-Control-Expose-Headers": "X-Total, mcp-session-id",
    })

    expect(agreeHeaders(response, OURS)).toEqual({
      ...OURS,
      vary: "Accept-Encoding, Origin",
      "access-control-expose-headers": "X-Total, Mcp-Session-Id, Retry-After",
    })
  })

  it.each([
    ["keeps credentials for the allowed origin", "http://localhost:5173", "true"],
    ["allows no credentials to another origin", "https://app.example", undefined],
    ["allows no credentials to an origin if the layer allowed any origin", "*", undefined],
  ])("%s", (...[, allowed, kept]) => {
    const response = createResponse({
      "access-control-allow-origin": allowed,
      "access-control-allow-credentials": "true",
    })

    agreeHeaders(response, OURS)

    expect(response.getHeader("access-control-allow-credentials")).toBe(kept)
  })
})
