import { expect } from "vitest"
import { runCurl } from "./curl.js"

/** Expects that `initialize` succeeds with a server of that name, which offers tools and returns no session id. */
export async function expectStart(initialize: string, url: string, name: string): Promise<void> {
  const { printed, log } = await runCurl(initialize, url)

  expect(JSON.parse(printed)).toMatchObject({
    id: 1,
    result: { serverInfo: { name }, capabilities: { tools: {} } },
  })
  expect(log).not.toMatch(/mcp-session-id/i)
}
