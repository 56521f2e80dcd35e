import process from "node:process"
import { players } from "./players.js"
import { play } from "./scenarios.js"
import { createSignIn } from "./sign-in.js"

// Plays the scenario named by the environment, with the client and URL given as arguments.
const [name = "", url = ""] = process.argv.slice(2)
const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_CONTEXT: text = "{}" } = process.env
const revision = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "2025-11-25"
const meet = players[name]
if (meet === undefined) throw new Error(`there is no client named ${JSON.stringify(name)}`)
const context = JSON.parse(text)
const signIn = scenario.startsWith("auth/") ? await createSignIn(scenario, context) : undefined
const player = await meet({ url: new URL(url), modern: revision >= "2026-07-28", signIn })
await play(scenario, player, context)
await player.close()
