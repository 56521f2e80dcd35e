// An agent that writes notes without end, and says of each that it is written once it is told so.
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
    // The caller is told an id only.
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
  // One at a time, and several at once.
  for (let number = 0; ; number += 3) {
    const texts = [0, 1, 2].map((more) => `${name} ${number + more}`)
    const outcomes = await Promise.all(texts.map((context) => agent.execute("note-taker", { context })))
    if (outcomes.some(({ ok }) => !ok)) throw new Error(JSON.stringify(outcomes))
    process.stdout.write(texts.map((text) => `${text}\n`).join(""))
  }
}
