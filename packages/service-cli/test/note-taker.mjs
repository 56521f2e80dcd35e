// An agent that writes notes without end, and reports each one once it is written.
import { defineAgent } from "@x/service-cli"

const [file, name, mode] = process.argv.slice(2)

const agent = defineAgent({
  name: "note-taker",
  description: "Takes notes",
  context: { file },
  tools: [
    {
      name: "count",
      description: "Finds all of its notes again",
      handler: async (_, { searchContext }) => ({
        result: (await searchContext({ text: name, limit: 1_000 })).map(({ text }) => text),
      }),
    },
  ],
  async execute({ input, writeContext }) {
    // Callers get only an id, not the cause.
    const written = await writeContext(input).catch((error) => {
      process.stderr.write(`${error.message}\n`)
      throw error
    })
    return { result: written.id }
  },
})

if (mode === "count") {
  const { value } = await agent.execute("count", {})
  process.stdout.write(JSON.stringify(value))
  await agent.stop()
} else {
  // One alone, then several concurrently.
  for (let number = 0; ; number += 3) {
    const texts = [0, 1, 2].map((more) => `${name} ${number + more}`)
    const outcomes = await Promise.all(texts.map((context) => agent.execute("note-taker", { context })))
    if (outcomes.some(({ ok }) => !ok)) throw new Error(JSON.stringify(outcomes))
    process.stdout.write(texts.map((text) => `${text}\n`).join(""))
  }
}
