import { clause, type Requirement } from "./requirement.js"

/** Resources, pagination and caching. */
export const resources: readonly Requirement[] = [
  ...clause("2026-07-28/server/resources#capabilities", {
    "resources-declared": "A server with resources MUST announce them.",
    "resources-absent": "A server without resources neither announces nor lists any.",
    "resources-shared": "The resources MUST NOT vary by connection, nor by a connection's earlier requests.",
  }),
  ...clause("2026-07-28/server/resources#resource", {
    "resource-fields": "A resource MUST have a URI and a name.",
  }),
  ...clause("2026-07-28/server/resources#resource-templates", {
    "resource-template": "A template MUST be one of RFC 6570.",
  }),
  ...clause("2026-07-28/server/resources#custom-uri-schemes", {
    "uri-valid": "A URI scheme of the server's own MUST be in accordance with RFC 3986.",
  }),
  ...clause("2026-07-28/server/resources#resource-contents", {
    "resource-contents": "Contents MUST have their URI, and a text or a blob.",
    "resource-blob": "Binary data MUST be base64.",
  }),
  ...clause("2026-07-28/server/resources#error-handling", {
    "resource-unknown": "An unknown resource MUST be answered with -32602; which one SHOULD be said.",
    "no-empty-contents": "It MUST NOT be answered with empty contents.",
  }),
  ...clause("2026-07-28/server/resources#security-considerations", {
    "uri-checked": "All URIs MUST be checked.",
    "resource-access": "A resource SHOULD be readable only by authorized callers.",
  }),
  ...clause("2026-07-28/server/utilities/caching#cacheable-results", {
    "cache-hints":
      "Complete results of discovery, lists and reads MUST have ttlMs, which is not negative, and cacheScope.",
    "cache-calls": "No other result is to be kept.",
    "cache-legacy": "No result of an older revision has them.",
  }),
  ...clause("2026-07-28/server/utilities/caching#choosing-a-cache-scope", {
    "cache-private": "Caller-specific results MUST NOT be shared.",
    "cache-public": "Results that are equal for all callers MAY be shared.",
  }),
  ...clause("2026-07-28/server/utilities/caching#interaction-with-pagination", {
    "cache-pages": "All pages of a list MUST have the same cacheScope.",
  }),
  ...clause("2026-07-28/server/utilities/pagination#response-format", {
    "next-cursor": "A page MUST have nextCursor if and only if another follows.",
  }),
  ...clause("2026-07-28/server/utilities/pagination#implementation-guidelines", {
    "cursor-stable": "Cursors SHOULD be stable.",
  }),
  ...clause("2026-07-28/server/utilities/pagination#error-handling", {
    "cursor-invalid": "An invalid cursor SHOULD be answered with -32602.",
  }),
]
