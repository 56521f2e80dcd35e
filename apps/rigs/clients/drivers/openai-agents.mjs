import { getAllMcpTools, MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents"
import { toAnswer } from "./to-answer.mjs"

/** Connects the MCP client of the OpenAI Agents SDK. Lists the tools that a model would receive. */
export async function connect(target) {
  const server = target.url === undefined ? new MCPServerStdio(target) : new MCPServerStreamableHttp(target)
  await server.connect()
  return {
    list: async () => (await getAllMcpTools([server])).map(toTool),
    call: async (name, args) => toAnswer(await server.callToolResult(name, args)),
    close: () => server.close(),
  }
}

function toTool({ name, parameters }) {
  return { name, inputSchema: parameters }
}
