import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder, programOf } from "./installed.mjs"
import { logging } from "./scenes.mjs"

// Servers of remote services. Their calls never reach the service, so what they answer are local results, rejected arguments and
// errors of the network, each in the server's own form.

/** A cluster that does not answer, since the server requires one. */
const clusters = join(folder, "kubeconfig")
const kubeconfig = {
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "none", cluster: { server: "https://127.0.0.1:9" } }],
  users: [{ name: "nobody", user: {} }],
  contexts: [{ name: "none", context: { cluster: "none", user: "nobody" } }],
  "current-context": "none",
}
// JSON is YAML.
writeFileSync(clusters, JSON.stringify(kubeconfig))

/** The servers of vendors: how to start each, and the requests besides its lists. */
export const vendors = {
  airtable: () => ({
    args: [programOf("airtable-mcp-server")],
    env: { AIRTABLE_API_KEY: "pat.x" },
    calls: [
      ["list_bases", {}],
      ["list_records", {}],
      ["list_records", { baseId: "a", tableId: "b", maxRecords: "many" }],
    ],
  }),
  context7: () => ({
    args: [programOf("@upstash/context7-mcp")],
    calls: [
      ["resolve-library-id", { query: "x", libraryName: "react" }],
      ["query-docs", {}],
    ],
  }),
  elastic: () => ({
    args: [programOf("@elastic/mcp-server-elasticsearch")],
    env: { ES_URL: "http://127.0.0.1:9", ES_API_KEY: "x" },
    calls: [
      ["list_indices", { indexPattern: "*" }],
      ["search", {}],
    ],
  }),
  figma: () => ({
    args: [programOf("figma-developer-mcp"), "--stdio"],
    env: { FIGMA_API_KEY: "x" },
    calls: [
      ["get_figma_data", { fileKey: "abc" }],
      ["get_figma_data", {}],
    ],
  }),
  firecrawl: () => ({
    args: [programOf("firecrawl-mcp")],
    env: { FIRECRAWL_API_KEY: "fc-x" },
    calls: [
      ["firecrawl_scrape", { url: "http://127.0.0.1:9/" }],
      ["firecrawl_scrape", {}],
      ["firecrawl_parse", { filePath: "/no/such/file" }],
    ],
    scenes: { "log messages": logging("firecrawl_map", { url: "http://127.0.0.1:9/" }) },
  }),
  github: () => ({
    args: [programOf("@modelcontextprotocol/server-github")],
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "x" },
    calls: [
      ["search_repositories", { query: "x" }],
      ["get_issue", {}],
    ],
  }),
  "google-maps": () => ({
    args: [programOf("@modelcontextprotocol/server-google-maps")],
    env: { GOOGLE_MAPS_API_KEY: "x" },
    calls: [
      ["maps_geocode", { address: "Rome" }],
      ["maps_elevation", {}],
    ],
  }),
  kubernetes: () => ({
    args: [programOf("mcp-server-kubernetes")],
    env: { KUBECONFIG: clusters },
    // Its other tools start kubectl, whose messages have process ids.
    calls: [
      ["ping", {}],
      ["kubectl_get", {}],
      ["cleanup", {}],
    ],
    uris: ["k8s://nothing"],
    prompts: [
      ["k8s-diagnose", { keyword: "web" }],
      ["k8s-diagnose", {}],
    ],
  }),
  mongodb: () => ({
    args: [programOf("mongodb-mcp-server")],
    env: { MDB_MCP_TELEMETRY: "disabled", MDB_MCP_LOG_PATH: join(folder, "mongodb") },
    calls: [
      ["list-connections", {}],
      ["find", { connectionId: "none", database: "a", collection: "b" }],
      ["find", {}],
      ["connect", { connectionString: "mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=300" }],
    ],
    uris: ["exported-data://none"],
    completions: [
      {
        ref: { type: "ref/resource", uri: "exported-data://{exportName}" },
        argument: { name: "exportName", value: "a" },
      },
    ],
    scenes: { "log messages": logging("list-connections", {}) },
  }),
  "sequential-thinking": () => ({
    args: [programOf("@modelcontextprotocol/server-sequential-thinking")],
    calls: [
      ["sequentialthinking", { thought: "one", nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 }],
      ["sequentialthinking", { thought: "two", nextThoughtNeeded: false, thoughtNumber: 2, totalThoughts: 2 }],
      ["sequentialthinking", {}],
    ],
  }),
  slack: () => ({
    args: [programOf("@modelcontextprotocol/server-slack")],
    env: { SLACK_BOT_TOKEN: "xoxb-1", SLACK_TEAM_ID: "T1" },
    calls: [
      ["slack_list_channels", {}],
      ["slack_post_message", {}],
    ],
  }),
}
