#!/usr/bin/env node
// note-taker --context "The boiler is serviced in May" --tags house; note-taker find --words boiler
import { agentTool, defineAgent, runAgent } from "@x/service-cli"

export const agent = defineAgent({
  name: "note-taker",
  version: "1.0.0",
  description: "Writes down what is worth knowing later, to be found again by its words",
  contextDescription: "What to write down, in a sentence or two that stand by themselves",
  options: {
    title: { type: "string", description: "What it is about, in a few words" },
    tags: {
      type: "array",
      items: { type: "string" },
      default: [],
      description: "Words to find it by, such as a project's name",
    },
  },
  tools: [
    agentTool({
      name: "find",
      description: "Finds what was written down, the best first; without words the newest",
      readOnly: true,
      inputSchema: {
        type: "object",
        properties: {
          words: { type: "string", description: "Words of it" },
          tags: { type: "array", items: { type: "string" }, description: "Tags that it has, all of them" },
          limit: {
            type: "integer",
            minimum: 1,
            maximum: 100,
            description: "The most that are found; 10 where it is left out",
          },
        },
      },
      async handler({ words = "", tags = [], limit = 10 }, { searchContext }) {
        const notes = await searchContext({ text: words, tags: tags.map(String), limit })
        return {
          result: notes.map(({ title, text, tags: about, writtenAt }) => ({ title, text, tags: about, writtenAt })),
        }
      },
    }),
  ],
  async execute({ input, options, writeContext }) {
    if (input.trim() === "") return { result: "there was nothing to write down" }
    const { title, tags } = options
    const { id } = await writeContext({
      text: input.trim(),
      ...(title !== undefined && { title }),
      tags: tags.map(String),
    })
    return { result: `written down as note ${id}` }
  },
})

await runAgent(agent, import.meta)
