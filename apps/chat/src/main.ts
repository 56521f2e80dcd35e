import { readSettings, usage } from "./read-settings.js"
import { respondByRules } from "./respond/respond-by-rules.js"
import { respondWithModel } from "./respond/respond-with-model.js"
import { serveChat } from "./serve-chat.js"

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  console.error(usage)
  process.exitCode = 1
})

/** Serves a chat until the process is stopped. */
async function main(): Promise<void> {
  const { model, ...settings } = readSettings(process.env, process.argv.slice(2))
  const chat = await serveChat(model ? respondWithModel(model) : respondByRules, settings)
  const doors = [
    ...(settings.serves === "api" ? [] : [`${chat.url}/mcp`]),
    ...(settings.serves === "mcp" ? [] : [`${chat.url}/v1/chat, with the header X-API-Key: ${settings.key}`]),
  ]
  console.log(`${model ? `The model "${model.model}" answers` : "Built-in rules answer"} at ${doors.join("\nand at ")}`)
  // A second Ctrl+C ends it at once.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void chat.close())
}
