import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder, installed, programOf } from "./installed.mjs"
import { cancel, change, logging, question, sampling, update } from "./scenes.mjs"
import { vendors } from "./vendors.mjs"

writeFileSync(join(folder, "hello.txt"), "hello\nworld\n")
writeFileSync(join(folder, "dot.png"), Buffer.from("iVBORw0KGgo=", "base64"))
const hello = join(folder, "hello.txt")

/**
 * The servers: how to start each, and the requests besides its lists. Calls run in this order, directly and through the
 * gateway, each time on a new server.
 */
export const servers = {
  everything: () => ({
    args: [programOf("@modelcontextprotocol/server-everything"), "stdio"],
    calls: [
      ["echo", { message: "hi" }],
      ["echo", {}],
      ["get-sum", { a: 1, b: 2 }],
      ["get-sum", { a: "x" }],
      ["get-tiny-image", {}],
      ["get-annotated-message", { messageType: "error", includeImage: true }],
      ["get-structured-content", { location: "New York" }],
      ["get-resource-links", { count: 3 }],
      ["get-resource-reference", { resourceType: "Text", resourceId: 1 }],
      ["gzip-file-as-resource", { name: "x.gz", data: "data:,hello", outputType: "resourceLink" }],
      ["trigger-long-running-operation", { duration: 2, steps: 2 }],
      ["no-such-tool", {}],
    ],
    scenes: {
      // Runs before the cancellation: on a legacy pipe, a cancelled call without an answer could pass for the one that asks.
      question: question("trigger-elicitation-request", {}, { name: "Ann", check: true, integer: 7 }),
      sampling: sampling("trigger-sampling-request", { prompt: "hi", maxTokens: 10 }),
      cancellation: cancel("trigger-long-running-operation", { duration: 2, steps: 8 }),
      "another resource": change("resources", "gzip-file-as-resource", {
        name: "y.gz",
        data: "data:,more",
        outputType: "resourceLink",
      }),
    },
    uris: ["demo://resource/dynamic/text/1", "demo://resource/dynamic/blob/2", "demo://nothing"],
    prompts: [
      ["simple-prompt"],
      ["args-prompt", { city: "Rome" }],
      ["args-prompt", {}],
      ["completable-prompt", { department: "Sales", name: "Bob" }],
      ["no-such-prompt"],
    ],
    completions: [
      { ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "S" } },
      {
        ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" },
        argument: { name: "resourceId", value: "1" },
      },
    ],
  }),
  filesystem: () => ({
    args: [programOf("@modelcontextprotocol/server-filesystem"), folder],
    calls: [
      ["read_text_file", { path: hello }],
      ["read_text_file", { path: hello, head: 1 }],
      ["read_text_file", { path: "/etc/passwd" }],
      ["read_text_file", {}],
      ["read_media_file", { path: join(folder, "dot.png") }],
      ["list_directory", { path: folder }],
      ["directory_tree", { path: folder }],
      ["edit_file", { path: hello, edits: [{ oldText: "world", newText: "you" }], dryRun: true }],
      ["search_files", { path: folder, pattern: "*.txt" }],
      ["list_allowed_directories", {}],
    ],
  }),
  memory: () => ({
    args: [programOf("@modelcontextprotocol/server-memory")],
    env: { MEMORY_FILE_PATH: join(mkdtempSync(join(folder, "memory-")), "memory.jsonl") },
    calls: [
      ["create_entities", { entities: [{ name: "Ann", entityType: "person", observations: ["likes tea"] }] }],
      ["add_observations", { observations: [{ entityName: "Ann", contents: ["is tall"] }] }],
      ["add_observations", { observations: [{ entityName: "Nobody", contents: ["x"] }] }],
      ["read_graph", {}],
      ["search_nodes", { query: "tea" }],
      ["open_nodes", { names: ["Ann"] }],
      ["create_entities", { entities: "x" }],
    ],
    scenes: {
      "a new value": update("memory://knowledge-graph", "create_entities", {
        entities: [{ name: "Bob", entityType: "person", observations: [] }],
      }),
    },
  }),
  // Without a browser, which its other results would depend on.
  playwright: () => ({
    args: [programOf("@playwright/mcp"), "--headless"],
    calls: [
      ["browser_navigate", {}],
      ["browser_click", { target: 1 }],
    ],
  }),
  fastmcp: () => ({
    args: [join(installed, "fastmcp-server.mjs")],
    calls: [
      ["add", { a: 1, b: 2 }],
      ["add", {}],
      ["refuse", {}],
      ["steps", {}],
    ],
    // Log messages before the cancellation, for the same reason.
    scenes: { "log messages": logging("chatter", {}), cancellation: cancel("steps", {}) },
    uris: ["fast://page/7"],
    prompts: [
      ["greet", { whom: "you" }],
      ["greet", {}],
    ],
  }),
  ours: () => ({
    args: [join(import.meta.dirname, "..", "..", "..", "demo", "dist", "main.js"), "--stdio"],
    // Omits the adapter's own tools: the gateway answers those with its own states.
    calls: [["no_such_tool", {}]],
    scenes: {
      "another tool": change("tools", "add_column", { title: "Later" }),
      "a new value": update("agentic://board/summary", "add", { title: "Tea" }),
      question: question("clear", {}, { confirm: true }),
    },
  }),
  ...vendors,
}
