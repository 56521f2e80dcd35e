import { clause, type Requirement } from "./requirement.js"

/** Notices, and the progress and cancellation of calls. */
export const notices: readonly Requirement[] = [
  ...clause("2026-07-28/server/tools#list-changed-notification", {
    "list-changed": "A server that announces listChanged SHOULD send a notice of a changed list.",
    "list-changed-honest": "Notices are announced only when they can arrive.",
  }),
  ...clause("2026-07-28/basic/patterns/subscriptions#opening-a-stream", {
    "no-push": "Notices of changes travel on listen streams only.",
  }),
  ...clause("2026-07-28/basic/patterns/subscriptions#notification-filter", {
    "listen-asked-only": "A stream MUST carry only the requested notifications.",
  }),
  ...clause("2026-07-28/basic/patterns/subscriptions#acknowledgment", {
    "listen-ack": "A stream MUST begin with its acknowledgment.",
    "listen-subset": "The acknowledgment MUST name exactly the notifications that will be sent.",
  }),
  ...clause("2026-07-28/basic/patterns/subscriptions#receiving-notifications", {
    "listen-tag": "Every notification of a stream MUST carry the id of its listen request, of the same type.",
    "listen-no-progress": "A stream MUST NOT carry messages of other requests.",
    "listen-updated": "A stream carries updates of its requested resources.",
  }),
  ...clause("2026-07-28/basic/patterns/subscriptions#multiple-concurrent-subscriptions", {
    "listen-several": "A client MAY have several subscriptions at once.",
  }),
  ...clause("2026-07-28/basic/patterns/subscriptions#cancellation", {
    "listen-cancel": "After a client has cancelled a subscription, nothing more is sent for it.",
  }),
  ...clause("2026-07-28/basic/patterns/subscriptions#graceful-closure", {
    "listen-graceful": "A server that ends a subscription SHOULD answer its request, and then close the stream.",
  }),
  ...clause("2026-07-28/basic/patterns/progress#behavior-requirements", {
    "progress-token": "Progress MUST be sent only for the token of a running request.",
    "progress-grows": "It MUST grow with each notification.",
  }),
  ...clause("2026-07-28/basic/patterns/progress#implementation-notes", {
    "progress-stops": "It MUST stop when the operation is over.",
    "progress-rate": "It SHOULD be limited in rate.",
  }),
  ...clause("2026-07-28/basic/patterns/cancellation#behavior-requirements", {
    "cancel-stops": "A cancelled request SHOULD stop and release its resources.",
    "cancel-silent": "It MUST NOT be answered.",
    "cancel-unknown": "The cancellation of a request that is unknown or over MAY be ignored.",
  }),
  ...clause("2026-07-28/basic/patterns/cancellation#timing-considerations", {
    "cancel-race": "A cancellation that comes as the request ends MUST do no harm.",
  }),
  ...clause("2026-07-28/server/utilities/logging#per-request-log-level", {
    "log-opt-in": "Log messages MUST NOT be sent for a request that names no level.",
  }),
  ...clause("2025-11-25/server/resources#subscriptions", {
    "legacy-subscribe": "A client gets updates of its subscribed resources, and of no others.",
    "legacy-unsubscribe": "Until it unsubscribes.",
  }),
]
