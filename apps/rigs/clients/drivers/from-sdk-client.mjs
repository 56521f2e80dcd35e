import { toAnswer } from "./to-answer.mjs"

/** Adapts a connected client of either SDK version to the matrix. */
export function fromSdkClient(client) {
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, args) => toAnswer(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  }
}
