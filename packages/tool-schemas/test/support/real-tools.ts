import type { Keywords } from "../../src/json-schema.js"

const DRAFT_7 = "http://json-schema.org/draft-07/schema#"
const text = (description: string): Keywords => ({ type: "string", description })

/** Input schemas in the style of published MCP servers, reworded, by kind of server. */
export const REAL_TOOLS: Readonly<Record<string, Keywords>> = {
  "files: edit, by zod": {
    $schema: DRAFT_7,
    type: "object",
    properties: {
      path: { type: "string" },
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: { oldText: text("What is there now"), newText: text("What is to stand there") },
          required: ["oldText", "newText"],
          additionalProperties: false,
        },
      },
      dryRun: { type: "boolean", default: false, description: "Only show what would change" },
    },
    required: ["path", "edits"],
    additionalProperties: false,
  },
  "fetch: by pydantic": {
    title: "Fetch",
    description: "What to fetch",
    type: "object",
    properties: {
      url: { title: "Url", type: "string", format: "uri", minLength: 1 },
      max_length: {
        title: "Max Length",
        type: "integer",
        default: 5000,
        exclusiveMinimum: 0,
        exclusiveMaximum: 1000000,
      },
      raw: { title: "Raw", type: "boolean", default: false },
    },
    required: ["url"],
  },
  "git: commit, optional by anyOf with null": {
    type: "object",
    title: "GitCommit",
    properties: {
      repo_path: { title: "Repo Path", type: "string" },
      message: { title: "Message", type: "string" },
      author: { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "Author" },
    },
    required: ["repo_path", "message"],
  },
  "memory: entities, nested": {
    type: "object",
    properties: {
      entities: {
        type: "array",
        items: {
          type: "object",
          properties: {
            name: text("The entity's name"),
            observations: { type: "array", items: { type: "string" }, description: "What is known" },
          },
          required: ["name", "observations"],
        },
      },
    },
    required: ["entities"],
  },
  "browser: fill a form, const alternatives": {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      fields: {
        type: "array",
        items: {
          type: "object",
          properties: {
            ref: text("Which field"),
            kind: {
              anyOf: [
                { const: "textbox", type: "string" },
                { const: "checkbox", type: "string" },
              ],
            },
            value: { anyOf: [{ type: "string" }, { type: "boolean" }] },
          },
          required: ["ref", "kind", "value"],
          additionalProperties: false,
        },
      },
    },
    required: ["fields"],
    additionalProperties: false,
  },
  "issues: list, enums and limits": {
    type: "object",
    properties: {
      owner: text("Who owns the repository"),
      repo: text("The repository"),
      state: { type: "string", enum: ["OPEN", "CLOSED"] },
      perPage: { type: "number", minimum: 1, maximum: 100 },
      since: { type: "string", format: "date-time" },
      labels: { type: "array", items: { type: "string" } },
    },
    required: ["owner", "repo"],
  },
  "pages: create, by OpenAPI, with definitions and a free object": {
    type: "object",
    properties: {
      parent: { anyOf: [{ $ref: "#/$defs/pageParent" }, { $ref: "#/$defs/databaseParent" }] },
      properties: { type: "object", additionalProperties: true, description: "By the names of the columns" },
      children: { type: "array", items: { $ref: "#/$defs/block" } },
      icon: { type: "object" },
    },
    required: ["parent", "properties"],
    $defs: {
      pageParent: {
        type: "object",
        properties: { page_id: { type: "string", format: "uuid" } },
        required: ["page_id"],
      },
      databaseParent: { type: "object", properties: { database_id: { type: "string" } }, required: ["database_id"] },
      block: {
        oneOf: [
          { type: "object", properties: { paragraph: { $ref: "#/$defs/richText" } }, required: ["paragraph"] },
          { type: "object", properties: { bullet: { $ref: "#/$defs/richText" } }, required: ["bullet"] },
        ],
      },
      richText: { type: "array", maxItems: 100, items: { type: "object", properties: { text: { type: "string" } } } },
    },
  },
  "tables: records, maps of any value": {
    $schema: DRAFT_7,
    type: "object",
    properties: {
      tableId: { type: "string" },
      records: {
        type: "array",
        maxItems: 10,
        items: {
          type: "object",
          properties: { id: { type: "string" }, fields: { type: "object", additionalProperties: {} } },
          required: ["id", "fields"],
        },
      },
      typecast: { type: ["boolean", "null"] },
    },
    required: ["tableId", "records"],
  },
  "payments: metadata and a date range": {
    type: "object",
    properties: {
      customer: { type: "string", pattern: "^cus_" },
      amount: { type: "integer", minimum: 1 },
      metadata: { type: "object", additionalProperties: { type: "string", maxLength: 500 }, maxProperties: 50 },
      created: {
        anyOf: [
          { type: "integer" },
          {
            type: "object",
            properties: { gt: { type: "integer" }, lt: { type: "integer" } },
            additionalProperties: false,
          },
        ],
      },
    },
    required: ["customer", "amount"],
  },
  "monitors: filters that hold filters": {
    type: "object",
    properties: { filter: { $ref: "#/definitions/Filter" } },
    required: ["filter"],
    definitions: {
      Filter: {
        type: "object",
        properties: {
          field: { type: "string" },
          op: { enum: ["and", "or", "eq"] },
          value: { type: ["string", "number"] },
          filters: { type: "array", items: { $ref: "#/definitions/Filter" } },
        },
        required: ["op"],
      },
    },
  },
  "headers: property names that are none, by OpenAPI 3.0": {
    type: "object",
    properties: {
      "X-Request-Id": { type: "string", nullable: true },
      "filter[name]": { type: "string" },
      $select: { type: "array", uniqueItems: true, items: { type: "string" } },
      rating: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 5 },
    },
  },
}
