import { createRequire } from "node:module"

/**
 * The clients of the matrix. `driver` exports `connect(target, way)`, where the target is `{ url }`, or `{ command, args }` of
 * a program to start. It returns a client with `list()`, `call(name, args)` and `close()`. Expectations: `revisions` are those
 * that the client may negotiate, `follows` is whether it lists tools again by itself after a change.
 */
export const clients = [
  {
    title: "Inspector (`mcpdo`), legacy",
    package: "@modelcontextprotocol/inspector",
    driver: "inspector",
    way: "legacy",
    revisions: ["2025-11-25"],
    follows: false,
  },
  {
    title: "Inspector (`mcpdo`), modern",
    package: "@modelcontextprotocol/inspector",
    driver: "inspector",
    way: "modern",
    revisions: ["2026-07-28"],
    follows: false,
  },
  {
    title: "AI SDK",
    package: "@ai-sdk/mcp",
    driver: "ai-sdk",
    // Negotiates the later one over stdio only if the server it started answers within a second.
    revisions: ["2025-11-25", "2026-07-28"],
    follows: false,
  },
  {
    title: "MCP SDK v1",
    package: "@modelcontextprotocol/sdk",
    driver: "sdk-v1",
    revisions: ["2025-11-25"],
    follows: true,
  },
  {
    title: "MCP SDK v1, the first that speaks Streamable HTTP",
    package: "sdk-1.10",
    driver: "older-sdk",
    way: "sdk-1.10",
    revisions: ["2024-11-05"],
    follows: true,
  },
  {
    title: "MCP SDK v1, for 2025-06-18",
    package: "sdk-1.17",
    driver: "older-sdk",
    way: "sdk-1.17",
    revisions: ["2025-06-18"],
    follows: true,
  },
  {
    title: "MCP SDK v1, which resumes",
    package: "sdk-1.23",
    driver: "older-sdk",
    way: "sdk-1.23",
    revisions: ["2025-06-18"],
    follows: true,
  },
  {
    title: "MCP SDK v2, legacy (its default)",
    package: "@modelcontextprotocol/client",
    driver: "sdk-v2",
    way: "legacy",
    revisions: ["2025-11-25"],
    follows: true,
  },
  {
    title: "MCP SDK v2, auto",
    package: "@modelcontextprotocol/client",
    driver: "sdk-v2",
    way: "auto",
    revisions: ["2026-07-28"],
    follows: true,
  },
  {
    title: "OpenAI Agents SDK",
    package: "@openai/agents",
    driver: "openai-agents",
    revisions: ["2026-07-28"],
    follows: false,
  },
]

/** Returns the pinned package and version of a client. */
export function releaseOf(client) {
  const pinned = createRequire(import.meta.url)("../drivers/package.json").dependencies[client.package]
  const [, name, version] = /^npm:(.+)@(.+)$/.exec(pinned) ?? [pinned, client.package, pinned]
  return { name, version }
}
