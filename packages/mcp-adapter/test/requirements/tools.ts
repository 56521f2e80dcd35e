import { clause, type Requirement } from "./requirement.js"

/** Listing and calling tools. */
export const tools: readonly Requirement[] = [
  ...clause("2026-07-28/server/tools#capabilities", {
    "tools-declared": "A server with tools MUST announce them, even while the list is empty.",
    "list-empty": "A list MAY be empty.",
    "tools-shared": "The tools MUST NOT vary by connection, nor by a connection's earlier requests.",
    "tools-by-principal": "They MAY vary by caller.",
    "tools-order": "They SHOULD be listed in the same order on every call.",
  }),
  ...clause("2026-07-28/server/tools#tool-names", {
    "tool-names": "A name SHOULD have 1 to 128 characters, of letters, digits, underscore, hyphen and dot only.",
    "tool-names-unique": "No two tools SHOULD have one name.",
  }),
  ...clause("2026-07-28/server/tools#tool", {
    "tool-input": "The input schema MUST be an object schema.",
    "tool-no-input": "A tool without parameters SHOULD be published as a closed empty object.",
    "tool-hints": "Annotations are hints about what a tool does.",
  }),
  ...clause("2025-11-25/server/tools#tool", {
    "tool-output-object": "The output schema MUST be an object schema.",
  }),
  ...clause("2026-07-28/server/tools#tool-result", {
    "result-content": "A result MUST have content.",
    "content-media": "Images and audio MUST be base64 with their media type.",
    "content-resource": "A resource MUST be embedded with its URI and its text or its base64.",
    "content-link": "A link MUST have a URI and a name.",
  }),
  ...clause("2026-07-28/server/tools#structured-content", {
    "structured-text": "A structured result SHOULD be repeated as text.",
  }),
  ...clause("2025-11-25/server/tools#structured-content", {
    "structured-object": "A structured result MUST be an object.",
  }),
  ...clause("2026-07-28/server/tools#output-schema", {
    "structured-conforms": "A structured result MUST match the output schema.",
  }),
  ...clause("2026-07-28/server/tools#error-handling", {
    "tool-error": "Errors within a tool SHOULD be reported in the result, for the model to read.",
    "input-error": "So SHOULD arguments that do not match the input schema.",
    "tool-unknown": "An unknown tool SHOULD be answered with -32602.",
    "call-malformed": "A malformed call SHOULD be answered with -32602.",
  }),
  ...clause("2026-07-28/server/tools#security-considerations", {
    "inputs-checked": "All inputs MUST be checked before they are used.",
    "tool-access": "A tool MUST be callable only by authorized callers.",
    "rate-limit": "The server MUST limit the rate of calls.",
    "outputs-clean": "The server MUST sanitize tool outputs.",
  }),
]
