import { clause, type Requirement } from "./requirement.js"

/** Resources, and how lists and reads are cut and kept. */
export const resources: readonly Requirement[] = [
  ...clause("2026-07-28/server/resources#capabilities", {
    "resources-declared": "A server with resources MUST announce them.",
    "resources-absent": "A server that shows none announces none, and has none to list.",
    "resources-shared": "The resources MUST NOT vary by connection, nor by what a connection has asked for before.",
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
    "resource-contents": "What is read MUST have its URI, and a text or a blob.",
    "resource-blob": "Binary data MUST be base64.",
  }),
  ...clause("2026-07-28/server/resources#error-handling", {
    "resource-unknown": "An unknown resource MUST be answered with -32602; which one SHOULD be said.",
    "no-empty-contents": "It MUST NOT be answered with empty contents.",
  }),
  ...clause("2026-07-28/server/resources#security-considerations", {
    "uri-checked": "All URIs MUST be checked.",
    "resource-access": "A resource SHOULD be read only by who may read it.",
  }),
  ...clause("2026-07-28/server/utilities/caching#cacheable-results", {
    "cache-hints":
      "Complete results of discovery, lists and reads MUST have ttlMs, which is not negative, and cacheScope.",
    "cache-calls": "No other result is to be kept.",
    "cache-legacy": "No result of an older revision has them.",
  }),
  ...clause("2026-07-28/server/utilities/caching#choosing-a-cache-scope", {
    "cache-private": "What depends on who asks MUST NOT be shared.",
    "cache-public": "What is the same for everybody MAY be.",
  }),
  ...clause("2026-07-28/server/utilities/caching#interaction-with-pagination", {
    "cache-pages": "All pages of a list MUST have the same cacheScope.",
  }),
  ...clause("2026-07-28/server/utilities/pagination#response-format", {
    "next-cursor": "A page MUST have nextCursor where there are more, and only there.",
  }),
  ...clause("2026-07-28/server/utilities/pagination#implementation-guidelines", {
    "cursor-stable": "Cursors SHOULD be stable.",
  }),
  ...clause("2026-07-28/server/utilities/pagination#error-handling", {
    "cursor-invalid": "An invalid cursor SHOULD be answered with -32602.",
  }),
]
