#!/usr/bin/env node
// note-taker --context "The boiler is serviced in May" --tags house; note-taker find --words boiler
import { agentTool, defineAgent, runAgent } from "@x/service-cli"

export const agent = defineAgent({
  name: "note-taker",
  version: "1.0.0",
  description: "Saves notes that can be found later by their words",
  contextDescription: "The note, in one or two sentences that make sense on their own",
  options: {
    title: { type: "string", description: "The topic, in a few words" },
    tags: {
      type: "array",
      items: { type: "string" },
      default: [],
      description: "Tags, such as the name of a project",
    },
  },
  tools: [
    agentTool({
      name: "find",
      description: "Finds notes, best match first; without words, newest first",
      readOnly: true,
      inputSchema: {
        type: "object",
        properties: {
          words: { type: "string", description: "Search words" },
          tags: { type: "array", items: { type: "string" }, description: "Tags that the note must have, all of them" },
          limit: {
            type: "integer",
            minimum: 1,
            maximum: 100,
            description: "The maximum of results. Default 10",
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
    if (input.trim() === "") return { result: "the note is empty" }
    const { title, tags } = options
    const { id } = await writeContext({
      text: input.trim(),
      ...(title !== undefined && { title }),
      tags: tags.map(String),
    })
    return { result: `saved as note ${id}` }
  },
})

await runAgent(agent, import.meta)
