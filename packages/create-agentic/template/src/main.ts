// Serves the notes of each user to any MCP client: `npm start`, or `npm run dev` while you work on it.
import { createMcpAdapter } from "@x/mcp-adapter"
import { apiKeys, serveHttp } from "@x/mcp-adapter/http"
import { createNotes } from "./notes.js"
import { openStore } from "./store.js"
import { readUsers } from "./users.js"

const { PORT = "3000", STORE = "notes.json", USERS = "" } = process.env

try {
  const store = await openStore(STORE)
  const users = readUsers(USERS)
  const adapter = createMcpAdapter((principal) => createNotes(store.notesOf(principal?.id ?? "me")), {
    name: "notes",
    instructions: "The notes of the user you work for. Nobody else sees them.",
  })
  const server = await serveHttp(adapter, {
    port: Number(PORT),
    // Ctrl+C lets calls finish, waits until what they changed is saved, and ends.
    exit: true,
    onExit: store.written,
    // Clients that come back after a restart go on where they were.
    takeUpSessions: true,
    // Without users everybody on this machine is "me"; with some, whoever calls has to say who they are.
    ...(users.size > 0 && { authenticate: apiKeys(users) }),
  })
  console.log(`To connect a model: claude mcp add --transport http notes ${server.url}`)
  console.log(`The notes are served at ${server.url}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (error instanceof Error && "code" in error && error.code === "listen_failed")
    console.error("To use another port: PORT=3001 npm start")
  process.exitCode = 1
}
