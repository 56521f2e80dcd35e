export type { Ask, AskOptions, AskReply } from "./call-page-tool.js"
export { offerToBrowser } from "./offer-to-browser.js"
export { WebMcpError, type WebMcpErrorCode } from "./webmcp-error.js"
export type { WebMcpOffer, WebMcpOptions, WebMcpStatus } from "./webmcp-offer.js"

// ── For other libraries. ──

export type { Refused } from "./registrations.js"
export type { Failed, Success, ToolAnswer } from "./tool-answer.js"
