// Keeps one server connected and prints its process id, until killed.
import { fromMcpServer } from "@x/mcp-upstream/node"
import { firstValueFrom } from "rxjs"

const [, , program, ALIVE] = process.argv
const server = fromMcpServer({ command: process.execPath, args: [program], env: { STUBBORN: "1", ALIVE } })
await firstValueFrom(server.actions)
const reply = await server.execute("pid", {})
process.stdout.write(reply.content[0].text)
setInterval(() => {}, 1_000)
