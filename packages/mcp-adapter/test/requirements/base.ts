import { clause, type Requirement } from "./requirement.js"

/** Messages, errors, statelessness, versions and discovery, over any transport. */
export const base: readonly Requirement[] = [
  ...clause("2026-07-28/basic/index#responses", {
    "response-id": "A response MUST repeat the id of its request, a number as a number and a string as a string.",
    "result-type": "Every result MUST say in resultType what kind of result it is.",
    "error-shape": "An error MUST have an integer for its code, and a message.",
  }),
  ...clause("2026-07-28/basic/index#error-codes", {
    "parse-error": "What is not JSON is answered with -32700.",
    "invalid-request": "What is no JSON-RPC message is answered with -32600.",
    "internal-error": "A fault of the server is answered with -32603; what went wrong stays with the operator.",
    "no-legacy-codes": "The server MUST NOT emit -32002 or -32042.",
  }),
  ...clause("2026-07-28/basic/index#notifications", {
    "notification-unanswered": "The receiver of a notification MUST NOT send a response.",
  }),
  ...clause("2026-07-28/basic/patterns/index#request-and-response", {
    "no-server-requests": "The server MUST NOT send requests of its own.",
  }),
  ...clause("2026-07-28/basic/index#statelessness", {
    "no-memory": "The server MUST NOT rely on what earlier requests of a connection have declared.",
    "any-connection": "Operations that belong together SHOULD NOT need the same connection.",
    interleaved: "One connection SHOULD be able to carry several requests at once, answered in any order.",
  }),
  ...clause("2026-07-28/basic/index#meta", {
    "meta-required":
      "A request without its version or the client's capabilities MUST be answered with -32602, HTTP 400.",
    "client-info-optional": "A client SHOULD say who it is; one that does not is served all the same.",
    "server-info": "Every result SHOULD say in its _meta which server gave it.",
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
      "A version that is not spoken MUST be answered with -32022, the supported and the requested one.",
  }),
  ...clause("2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions", {
    "both-eras": "A server MAY serve both eras at once, on one endpoint; each request then gets its own era's answer.",
    "modern-only-named": "A server of modern revisions only SHOULD answer initialize with an error that names them.",
    "removed-method": "What older revisions had is not found by a modern request.",
  }),
  ...clause("2026-07-28/server/discover", {
    discover: "The server MUST answer server/discover.",
    "discover-result": "It MUST tell its versions and capabilities; it MAY give instructions.",
  }),
  ...clause("2026-07-28/server/discover#when-to-call", {
    "discover-optional": "A client MAY call any other method first.",
  }),
  ...clause("2025-11-25/basic/lifecycle#version-negotiation", {
    "initialize-echo": "A version that is spoken MUST be answered with itself.",
    "initialize-offer": "Any other MUST be answered with one that is spoken, which SHOULD be the latest.",
  }),
  ...clause("2025-11-25/basic/lifecycle#initialization", {
    "initialize-result": "The server MUST answer initialize with its version, capabilities and name.",
    "initialized-first":
      "Before it has heard that the client is initialized, the server SHOULD NOT send requests or notices.",
  }),
  ...clause("2025-11-25/basic/lifecycle#operation", {
    "negotiated-only": "Only what was negotiated MUST be used: a method that is not announced is not found.",
  }),
  ...clause("2025-11-25/basic/utilities/ping#behavior-requirements", {
    ping: "A ping MUST be answered at once, with an empty result.",
  }),
]
