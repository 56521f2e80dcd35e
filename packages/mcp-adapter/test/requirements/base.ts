import { clause, type Requirement } from "./requirement.js"

/** Messages, errors, statelessness, versions and discovery, over any transport. */
export const base: readonly Requirement[] = [
  ...clause("2026-07-28/basic/index#responses", {
    "response-id": "A response MUST repeat the id of its request, a number as a number and a string as a string.",
    "result-type": "Every result MUST say in resultType what kind of result it is.",
    "error-shape": "An error MUST have an integer for its code, and a message.",
  }),
  ...clause("2026-07-28/basic/index#error-codes", {
    "parse-error": "Input other than JSON is answered with -32700.",
    "invalid-request": "JSON other than a JSON-RPC message is answered with -32600.",
    "internal-error": "A fault of the server is answered with -32603; only the operator sees its cause.",
    "no-legacy-codes": "The server MUST NOT emit -32002 or -32042.",
  }),
  ...clause("2026-07-28/basic/index#notifications", {
    "notification-unanswered": "The receiver of a notification MUST NOT send a response.",
  }),
  ...clause("2026-07-28/basic/patterns/index#request-and-response", {
    "no-server-requests": "The server MUST NOT send requests of its own.",
  }),
  ...clause("2026-07-28/basic/index#statelessness", {
    "no-memory": "The server MUST NOT rely on declarations of a connection's earlier requests.",
    "any-connection": "Operations that belong together SHOULD NOT need the same connection.",
    interleaved: "One connection SHOULD be able to carry several requests at once, answered in any order.",
  }),
  ...clause("2026-07-28/basic/index#meta", {
    "meta-required":
      "A request without its version or the client's capabilities MUST be answered with -32602, HTTP 400.",
    "client-info-optional": "A client SHOULD give its name and version; one that does not is still served.",
    "server-info": "Every result SHOULD name its server in _meta.",
  }),
  ...clause("2026-07-28/basic/index#schema-dialect", {
    "schema-valid": "A schema MUST be valid in its dialect, which is 2020-12 where it names none.",
  }),
  ...clause("2026-07-28/basic/index#ref-resolution", {
    "schema-no-fetch":
      "A $ref MUST NOT be fetched from the network; a schema with one that leads nowhere SHOULD be refused.",
  }),
  ...clause("2026-07-28/basic/index#composition-keyword-resource-use", {
    "schema-bounds": "The depth and the size of schemas SHOULD be bounded.",
  }),
  ...clause("2026-07-28/basic/versioning#protocol-version-negotiation", {
    "version-unsupported":
      "An unsupported version MUST be answered with -32022, the supported versions and the requested one.",
  }),
  ...clause("2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions", {
    "both-eras": "A server MAY serve both eras at once, on one endpoint; each request then gets its own era's answer.",
    "modern-only-named": "A server of modern revisions only SHOULD answer initialize with an error that names them.",
    "removed-method": "Methods of older revisions only are unknown to modern requests.",
  }),
  ...clause("2026-07-28/server/discover", {
    discover: "The server MUST answer server/discover.",
    "discover-result": "It MUST tell its versions and capabilities; it MAY give instructions.",
  }),
  ...clause("2026-07-28/server/discover#when-to-call", {
    "discover-optional": "A client MAY call any other method first.",
  }),
  ...clause("2025-11-25/basic/lifecycle#version-negotiation", {
    "initialize-echo": "A supported version MUST be answered with itself.",
    "initialize-offer": "Any other MUST be answered with a supported version, which SHOULD be the latest.",
  }),
  ...clause("2025-11-25/basic/lifecycle#initialization", {
    "initialize-result": "The server MUST answer initialize with its version, capabilities and name.",
    "initialized-first": "The server SHOULD NOT send requests or notices before the client's initialized notification.",
  }),
  ...clause("2025-11-25/basic/lifecycle#operation", {
    "negotiated-only": "Only negotiated capabilities MUST be used: an unannounced method is unknown.",
  }),
  ...clause("2025-11-25/basic/utilities/ping#behavior-requirements", {
    ping: "A ping MUST be answered at once, with an empty result.",
  }),
]
