import { deepStrictEqual, ok } from "node:assert"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createGateway, createSecretsFile, createSignIns, readGatewayConfig } from "@x/mcp-upstream/node"
import { firstValueFrom } from "rxjs"
import { filter } from "rxjs/operators"
import { followInBrowser, ROBOT } from "./authorization-server.mjs"
import { serveBoard } from "./protected-board.mjs"

/**
 * Serves the board through gateways whose files name the issuer. One signs a person in by a page. The other obtains a token for
 * its own client, and another one once that has expired.
 */
export async function signGatewayIn(authorization, settings) {
  const board = await serveBoard(authorization)
  const { issuer } = authorization
  const scope = "board:use"
  const own = { grant: "client_credentials", clientId: ROBOT.client_id, clientSecret: "$ROBOT_SECRET", issuer, scope }
  const forPerson = await createStore(board.url, { issuer })
  const forClient = await createStore(board.url, own)
  try {
    await forPerson.signIns.signIn("board", forPerson.server, { open: visit, signal: AbortSignal.timeout(20_000) })
    settings.seconds = 1
    await forClient.call()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await forClient.call()
    await forPerson.call()
    deepStrictEqual(board.done, ["robot added", "robot added", "ann added"])
    ok(!(await forClient.secretsText()).includes(ROBOT.client_secret))
    return board.done.join(", ")
  } finally {
    settings.seconds = 600
    await forClient.close()
    await forPerson.close()
    await board.close()
  }
}

/** Reads a gateway's file with one server, and serves it. */
async function createStore(url, oauth) {
  const folder = await mkdtemp(join(tmpdir(), "sign-in-"))
  const file = join(folder, "servers.json")
  await writeFile(file, JSON.stringify({ mcpServers: { board: { url: url.href, oauth } } }))
  const config = await readGatewayConfig(file, { environment: { ROBOT_SECRET: ROBOT.client_secret } })
  const signIns = createSignIns(createSecretsFile(`${file}.secrets`), (name) => `sign in to ${name}`)
  const gateway = createGateway(config, { signIns })
  const board = gateway.servers().get("board")
  return {
    signIns,
    server: config.mcpServers.board,
    async call() {
      await firstValueFrom(board.actions.pipe(filter((actions) => "add" in actions)))
      const reply = await board.execute("add", {})
      deepStrictEqual(reply.ok, true, JSON.stringify(reply))
    },
    secretsText: () => readFile(`${file}.secrets`, "utf8").catch(() => ""),
    async close() {
      await gateway.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** Visits the page as Ann, and returns to the gateway. */
function visit(page) {
  void followInBrowser(page).then((back) => fetch(back))
}
