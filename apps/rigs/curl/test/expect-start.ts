import { expect } from "vitest"
import { runCurl } from "./curl.js"

/** Holds that a session starts with a server of that name, which offers tools and gives out no session to come back to. */
export async function expectStart(initialize: string, url: string, name: string): Promise<void> {
  const { printed, log } = await runCurl(initialize, url)

  expect(JSON.parse(printed)).toMatchObject({
    id: 1,
    result: { serverInfo: { name }, capabilities: { tools: {} } },
  })
  expect(log).not.toMatch(/mcp-session-id/i)
}
