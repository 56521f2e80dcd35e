import { clause, type Requirement } from "./requirement.js"

/** Pipes and HTTP, in both eras. */
export const transports: readonly Requirement[] = [
  ...clause("2026-07-28/basic/transports/stdio", {
    "stdio-lines": "The server MUST write only messages to its output, one per line.",
  }),
  ...clause("2026-07-28/basic/transports/stdio#shutdown", {
    "stdio-end": "The server SHOULD exit promptly when its input ends.",
  }),
  ...clause("2026-07-28/basic/transports/stdio#backward-compatibility", {
    "stdio-fallback": "A client SHOULD probe with server/discover, and MAY then initialize on the same pipe.",
  }),
  ...clause("2026-07-28/basic/transports/streamable-http", {
    origin: "An Origin that is not allowed MUST be answered with 403.",
    host: "A local server is unreachable under a host name that a web page chose (DNS rebinding).",
    loopback: "A local server SHOULD listen on 127.0.0.1 only.",
  }),
  ...clause("2026-07-28/basic/transports/streamable-http#sending-messages", {
    "notification-202": "A notification that is accepted MUST be answered with 202 and no body.",
    "answer-type": "A request MUST be answered with one JSON object or with an event stream.",
  }),
  ...clause("2026-07-28/basic/transports/streamable-http#receiving-messages", {
    "stream-own": "A response stream MUST carry only messages of its request; the answer SHOULD end it.",
    "accel-buffering": "An event stream SHOULD forbid proxies to buffer it.",
  }),
  ...clause("2026-07-28/basic/transports/streamable-http#cancellation", {
    "close-cancels": "A closed response stream MUST cancel its request.",
  }),
  ...clause("2026-07-28/basic/transports/streamable-http#protocol-version-header", {
    "version-header": "A version header that is missing or contradicts the body MUST be answered with 400 and -32020.",
    "version-400": "An unsupported version MUST be answered with 400.",
    "method-404": "A method that is not implemented MUST be answered with 404 and -32601.",
    "undeclared-method": "So MUST a method of no announced capability.",
  }),
  ...clause("2026-07-28/basic/transports/streamable-http#server-validation", {
    "method-header": "A method header that is missing or contradicts the body MUST be answered with 400 and -32020.",
    "name-header": "A name header that is missing or contradicts the body MUST be answered with 400 and -32020.",
    "header-base64": "A name in Base64 MUST be decoded before it is compared.",
  }),
  ...clause("2026-07-28/basic/transports/streamable-http#case-sensitivity", {
    "header-case": "Header names MUST be compared without regard to case; their values are case-sensitive.",
  }),
  ...clause("2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters", {
    "param-header": "A header that does not repeat its argument MUST be answered with 400 and -32020.",
    "param-header-missing": "So MUST a missing header of a present argument.",
    "param-header-null": "No header MUST be expected for an argument that is null or absent.",
    "param-header-chars":
      "So MUST a header with illegal characters, or with invalid Base64 of UTF-8 where Base64 is claimed.",
    "param-header-number": "Integers SHOULD be compared as numbers.",
    "param-header-name": "The name of such a header MUST be a token that the schema gives to one primitive property.",
  }),
  ...clause("2026-07-28/basic/transports/streamable-http#earlier-streamable-http-revisions", {
    "modern-only-405": "A server of modern revisions only SHOULD answer GET and DELETE with 405.",
    "modern-only-stateless": "It SHOULD ignore session ids and resumption, and give no session id.",
  }),
  ...clause("2025-11-25/basic/transports#sending-messages-to-the-server", {
    "legacy-202": "Messages other than requests MUST be answered with 202 and no body.",
    "legacy-drop": "A dropped connection SHOULD NOT count as a cancellation.",
  }),
  ...clause("2025-11-25/basic/transports#listening-for-messages-from-the-server", {
    "legacy-get": "GET MUST open an event stream, or be answered with 405.",
    "get-unrelated": "The stream of a GET MUST NOT carry answers.",
  }),
  ...clause("2025-11-25/basic/transports#multiple-connections", {
    "one-stream": "A message MUST be sent over one stream of a client only.",
  }),
  ...clause("2025-11-25/basic/transports#resumability-and-redelivery", {
    "resume-id": "An event id MUST be unique within its session, and SHOULD identify its stream.",
    "resume-rest": "Events after the last one received MAY be sent again; those of other streams MUST NOT be.",
  }),
  ...clause("2025-11-25/basic/transports#session-management", {
    "session-id": "A session id MUST be visible ASCII, and SHOULD be impossible to guess.",
    "session-missing": "A request without the session id SHOULD be answered with 400.",
    "session-unknown": "A request for an ended session MUST be answered with 404.",
    "session-delete": "DELETE ends a session, or is answered with 405.",
  }),
  ...clause("2025-11-25/basic/transports#protocol-version-header", {
    "legacy-version-400": "A version header with an unsupported version MUST be answered with 400.",
    "legacy-version-absent": "A missing version header SHOULD mean 2025-03-26.",
  }),
  ...clause("2025-11-25/basic/transports#security-warning", {
    "legacy-origin": "An Origin that is not allowed MUST be answered with 403.",
    "session-no-credential": "A session SHOULD be bound to its principal: its id is no credential.",
  }),
  ...clause("2025-03-26/basic/transports#sending-messages-to-the-server", {
    batch: "A batch of messages MUST be accepted.",
  }),
]
