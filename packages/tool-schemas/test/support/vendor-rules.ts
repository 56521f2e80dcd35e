import { isRecord } from "@x/base"
import type { Keywords } from "../../src/json-schema.js"
import type { SchemaPlace, Vendor, VendorRule } from "./vendor-rule.js"

const isRoot = ({ path }: SchemaPlace): boolean => path === ""
const has = (schema: Keywords, ...keywords: readonly string[]): boolean =>
  keywords.some((keyword) => schema[keyword] !== undefined)
const types = (schema: Keywords): readonly unknown[] => (schema["type"] === undefined ? [] : [schema["type"]].flat())
const names = (schema: Keywords): readonly string[] =>
  isRecord(schema["properties"]) ? Object.keys(schema["properties"]) : []

const ROOT_OBJECT: VendorRule = {
  wants: 'type "object" and properties at the root',
  source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool",
  refuses: (schema, place) => isRoot(place) && !(schema["type"] === "object" && isRecord(schema["properties"])),
}

const NO_BOOLEAN_PROPERTY: VendorRule = {
  wants: "no boolean for a property: clients on the 2025-11-25 types fail on the whole list",
  source: "https://github.com/modelcontextprotocol/typescript-sdk/issues/745, and the Inspector's --strict",
  refuses: (schema, { keyword }) => keyword === "properties" && has(schema, "boolean"),
}

const NO_ROOT_CHOICE: VendorRule = {
  wants: "no anyOf, oneOf or allOf at the root",
  source: "https://github.com/anthropics/claude-code/issues/657",
  refuses: (schema, place) => isRoot(place) && has(schema, "anyOf", "oneOf", "allOf"),
}

const NO_REF: VendorRule = {
  wants: "no references",
  source: "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes, and anthropics/claude-code#76040",
  refuses: (schema) => has(schema, "$ref", "$defs", "$dynamicRef", "definitions"),
}

const PROPERTY_NAMES: VendorRule = {
  wants: "property names of 1 to 64 letters, digits, underscores, dots and hyphens",
  source: "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes",
  refuses: (schema) => names(schema).some((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name)),
}

const ARRAY_ITEMS: VendorRule = {
  wants: "items on every array",
  source: "https://github.com/microsoft/vscode/issues/246119",
  refuses: (schema) => types(schema).includes("array") && !has(schema, "items"),
}

const ONE_TYPE: VendorRule = {
  wants: "one type each",
  source: "the Inspector's --strict, https://github.com/anomalyco/opencode/issues/11889",
  refuses: (schema) => Array.isArray(schema["type"]),
}

const NO_TUPLE: VendorRule = {
  wants: "no prefixItems: Codex asks for strings then",
  source: "observed with Codex CLI 0.171.0",
  refuses: (schema) => has(schema, "prefixItems"),
}

const NO_CONST: VendorRule = {
  wants: "an enum with its type, no const",
  source: "observed with Codex CLI 0.171.0, which makes a string of a const",
  refuses: (schema) => has(schema, "const") || (has(schema, "enum") && !has(schema, "type")),
}

const NO_ROOT_MAP: VendorRule = {
  wants: "no other names at the root than its properties: AI SDK closes it",
  source: "observed with @ai-sdk/mcp 2.0.99 and opencode 1.18.33",
  refuses: (schema, place) =>
    isRoot(place) && (isRecord(schema["additionalProperties"]) || has(schema, "patternProperties")),
}

const STRUCTURED_OUTPUTS = "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas"

const STRICT: readonly VendorRule[] = [
  {
    wants: "none but the keywords of structured outputs",
    source: STRUCTURED_OUTPUTS,
    refuses: (schema) => hasOther(schema, STRICT_KEYWORDS),
  },
  {
    wants: "every object closed, and everything in it required",
    source: STRUCTURED_OUTPUTS,
    refuses: (schema) => {
      const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : []
      const isClosed = schema["additionalProperties"] === false && isRecord(schema["properties"])
      const isWhole = required.length === names(schema).length && names(schema).every((name) => required.includes(name))
      return types(schema).includes("object") && !(isClosed && isWhole)
    },
  },
  {
    wants: "a type, anyOf or a reference everywhere",
    source: STRUCTURED_OUTPUTS,
    refuses: (schema) => !has(schema, "type", "anyOf", "$ref", "boolean"),
  },
  {
    wants: "one of nine formats",
    source: STRUCTURED_OUTPUTS,
    refuses: ({ format }) =>
      format !== undefined && !/^(date-time|time|date|duration|email|hostname|ipv4|ipv6|uuid)$/.test(String(format)),
  },
  { wants: "at most ten levels", source: STRUCTURED_OUTPUTS, refuses: (_, { level }) => level > 10 },
]

const STRICT_KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "enum", "const", "anyOf", "title", "description", "properties", "required", "additionalProperties"],
  ...["items", "minItems", "maxItems", "pattern", "format"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "$ref", "$defs"],
])

const GEMINI_SCHEMA = "https://ai.google.dev/api/caching#Schema"

const GEMINI: readonly VendorRule[] = [
  {
    wants: "none but the fields of Schema",
    source: GEMINI_SCHEMA,
    refuses: (schema) => hasOther(schema, GEMINI_KEYWORDS),
  },
  {
    wants: "a type, or alternatives alone",
    source: "https://github.com/google-gemini/gemini-cli/issues/13326",
    refuses: (schema) => !has(schema, "type", "anyOf"),
  },
  {
    wants: "enums of strings that are not empty",
    source: "https://github.com/sbroenne/mcp-server-excel/issues/607",
    refuses: (schema) =>
      Array.isArray(schema["enum"]) &&
      !(
        schema["type"] === "string" &&
        schema["enum"].length > 0 &&
        schema["enum"].every((value) => typeof value === "string" && value !== "")
      ),
  },
  {
    wants: "no format for strings but enum and date-time",
    source: "https://firebase.google.com/docs/reference/js/ai.schemashared",
    refuses: ({ format, type }) =>
      type === "string" && format !== undefined && !/^(enum|date-time)$/.test(String(format)),
  },
  {
    wants: "properties and required on objects only",
    source: "https://github.com/anomalyco/opencode/issues/11889",
    refuses: (schema) => schema["type"] !== "object" && has(schema, "properties", "required"),
  },
  {
    wants: "items on arrays only",
    source: GEMINI_SCHEMA,
    refuses: (schema) => schema["type"] !== "array" && has(schema, "items"),
  },
  {
    wants: "no empty object below the root",
    source: "https://github.com/browser-use/browser-use/issues/3786",
    refuses: (schema, place) => !isRoot(place) && schema["type"] === "object" && names(schema).length === 0,
  },
  {
    wants: "nothing required that is no property",
    source: "https://github.com/anomalyco/opencode/issues/14234",
    refuses: (schema) =>
      Array.isArray(schema["required"]) && !schema["required"].every((name) => names(schema).includes(String(name))),
  },
]

const GEMINI_KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems"],
  ...["properties", "required", "minProperties", "maxProperties", "propertyOrdering", "anyOf"],
  ...["minimum", "maximum", "minLength", "maxLength", "pattern", "example", "default"],
])

/** Rejections by each vendor and its clients. */
export const VENDOR_RULES: Readonly<Record<Vendor, readonly VendorRule[]>> = {
  portable: [
    ...[ROOT_OBJECT, NO_BOOLEAN_PROPERTY, NO_ROOT_CHOICE, NO_REF, PROPERTY_NAMES, ARRAY_ITEMS, ONE_TYPE, NO_TUPLE],
    ...[NO_CONST, NO_ROOT_MAP],
  ],
  anthropic: [ROOT_OBJECT, NO_BOOLEAN_PROPERTY, NO_ROOT_CHOICE, NO_REF, PROPERTY_NAMES],
  openai: [ROOT_OBJECT, NO_BOOLEAN_PROPERTY, NO_ROOT_CHOICE, ARRAY_ITEMS],
  "openai-strict": [ROOT_OBJECT, NO_BOOLEAN_PROPERTY, NO_ROOT_CHOICE, ARRAY_ITEMS, ...STRICT],
  gemini: [ROOT_OBJECT, NO_BOOLEAN_PROPERTY, NO_ROOT_CHOICE, NO_REF, ARRAY_ITEMS, ONE_TYPE, ...GEMINI],
  verbatim: [ROOT_OBJECT, NO_BOOLEAN_PROPERTY],
}

function hasOther(schema: Keywords, known: ReadonlySet<string>): boolean {
  return Object.keys(schema).some((keyword) => !known.has(keyword))
}
