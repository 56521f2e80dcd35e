// Signs in at a real authorization server. Prints one line for each check, and fails if any check fails.
import { deepStrictEqual, ok } from "node:assert"
import { followInBrowser, load, serveAuthorization } from "./authorization-server.mjs"
import { signGatewayIn } from "./gateway.mjs"
import { drivePage } from "./page-and-host.mjs"
import { scopes, serveBoard } from "./protected-board.mjs"
import { createHost } from "./sdk-client.mjs"

// Turns off the telemetry of mcpjam's checks.
process.env["DO_NOT_TRACK"] = "1"

const settings = { scopes, seconds: 600 }
const authorization = await serveAuthorization(settings)

for (const era of ["legacy", "modern"]) {
  await check(`a ${era} client of the SDK signs in by the issuer's URL, and asks for more when a call takes more`, () =>
    stepUp(era),
  )
  await check(`the streams of a ${era} client end with its token`, () => endWithToken(era))
  await check(`a ${era} client signs in and drives the page that its person has open`, () =>
    drivePage(authorization, era),
  )
}
await check("a gateway signs in to a server as its file says, for a person and for its own client", () =>
  signGatewayIn(authorization, settings),
)
for (const protocolVersion of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
  await check(`mcpjam's checks of OAuth, ${protocolVersion}`, () => checkByMcpjam(protocolVersion))
}
authorization.close()

async function stepUp(era) {
  const board = await serveBoard(authorization)
  const host = createHost(board.url, era)
  try {
    await host.connect()
    deepStrictEqual((await host.call("add")).isError ?? false, false)
    deepStrictEqual((await host.call("clear")).isError ?? false, false)
    deepStrictEqual(board.done, ["ann added", "ann cleared"])
    deepStrictEqual(host.visits, ["board:use", "board:delete board:use"])
    return `the browser was sent for "${host.visits.join('", then for "')}"`
  } finally {
    await host.close()
    await board.close()
  }
}

async function endWithToken(era) {
  const board = await serveBoard(authorization)
  const host = createHost(board.url, era)
  settings.seconds = 2
  try {
    const client = await host.connect()
    // A legacy client opens its stream by itself.
    if (era === "modern") await client.listen({ toolsListChanged: true })
    await until(() => board.ledger.counts().stream === 1)
    const opened = Date.now()
    // Without tokens and registration, the client cannot sign in again.
    host.kept.tokens = undefined
    host.kept.client = undefined
    await until(() => board.ledger.counts().stream === 0)
    const lasted = Date.now() - opened
    ok(lasted < 4_000, `it lasted ${lasted} ms`)
    return `after ${lasted} ms`
  } finally {
    settings.seconds = 600
    await host.close()
    await board.close()
  }
}

async function checkByMcpjam(protocolVersion) {
  const { OAuthConformanceTest } = await load("@mcpjam/sdk")
  // Clients of 2025-03-26 request the authorization server's metadata from the MCP server.
  const more = protocolVersion === "2025-03-26" ? { authorizationServer: authorization.metadata } : {}
  const board = await serveBoard(authorization, more)
  try {
    const result = await new OAuthConformanceTest({
      serverUrl: board.url.href,
      protocolVersion,
      registrationStrategy: "dcr",
      auth: { mode: "interactive", openUrl: openAsAnn },
      verification: { listTools: true },
      oauthConformanceChecks: true,
    }).run()
    const failed = result.steps.filter(({ status }) => status === "failed")
    deepStrictEqual(
      failed.map(({ step, error }) => `${step}: ${error?.message}`),
      [],
    )
    ok(result.passed, result.summary)
    return `${result.steps.filter(({ status }) => status === "passed").length} passed`
  } finally {
    await board.close()
  }
}

async function openAsAnn(url) {
  await fetch(await followInBrowser(url))
}

async function check(name, run) {
  try {
    console.log(`✓ ${name}: ${await run()}`)
  } catch (thrown) {
    process.exitCode = 1
    console.log(`✗ ${name}`)
    console.error(thrown)
  }
}

/** Polls until a condition holds, since no event reports it. */
async function until(holds) {
  const end = Date.now() + 15_000
  while (!holds()) {
    if (Date.now() > end) throw new Error("it did not happen within 15 s")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
