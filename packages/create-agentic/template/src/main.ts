// Serves each user's notes to any MCP client: `npm start`, or `npm run dev` while you edit.
import { createLiveViewHandler } from "@x/live-view/node"
import { createMcpAdapter } from "@x/mcp-adapter"
import { apiKeys, serveHttp } from "@x/mcp-adapter/http"
import { answerBrowsers } from "./home.js"
import { createNotes } from "./notes.js"
import { openStore } from "./store.js"
import { readUsers } from "./users.js"

const { PORT = "3000", STORE = "notes.json", USERS = "" } = process.env

try {
  const store = await openStore(STORE)
  const users = readUsers(USERS)
  const adapter = createMcpAdapter((principal) => createNotes(store.notesOf(principal?.id ?? "me")), {
    name: "notes",
    instructions: "The notes of the user you work for. No other user sees them.",
  })
  // Shows what models see and do. With users it is off, because it would show everybody's notes.
  const view = users.size === 0 ? createLiveViewHandler(adapter, { show: true }) : undefined
  // An open live view would keep the server from closing.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void view?.close())
  const server = await serveHttp(adapter, {
    port: Number(PORT),
    // Ctrl+C lets calls finish, waits until their changes are saved, and exits.
    exit: true,
    onExit: store.written,
    // After a restart, clients continue their sessions.
    takeUpSessions: true,
    otherwise: answerBrowsers(view),
    // Without users, everybody on this machine is "me". With users, each request must have a user's key.
    ...(users.size > 0 && { authenticate: apiKeys(users) }),
  })
  console.log(`To connect a model: claude mcp add --transport http notes ${server.url}`)
  if (view !== undefined) console.log(`To see what models see: ${new URL("/live/", server.url)}`)
  console.log(`The notes are served at ${server.url}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (error instanceof Error && "code" in error && error.code === "listen_failed")
    console.error("To use another port: PORT=3001 npm start")
  process.exitCode = 1
}
