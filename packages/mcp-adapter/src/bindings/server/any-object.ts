import type { StandardSchemaV1 } from "@modelcontextprotocol/server"

type Properties = Readonly<Record<string, unknown>>

/** Lets any parameters and results pass, where the SDK wants a schema for a method it does not know. JSON-RPC has objects only. */
export const anyObject: StandardSchemaV1<Properties, Properties> = {
  "~standard": {
    version: 1,
    vendor: "@x/mcp-adapter",
    validate: (value) =>
      typeof value === "object" && value !== null ? { value: { ...value } } : { issues: [{ message: "no object" }] },
  },
}
