import { toAnswer } from "./to-answer.mjs"

/** What the matrix asks, of a connected client of either SDK. */
export function fromSdkClient(client) {
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, args) => toAnswer(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  }
}
