// For authors: what it takes to offer an agent.

export type { Answer, MediaPiece, Piece, SourcePiece } from "./answer/piece.js"
export type {
  AgentOptions,
  ChatForms,
  ChatLimits,
  ChatOptions,
  ChatServiceOptions,
  Respond,
  RespondContext,
} from "./chat-options.js"
export type { ChatMessage, ChatRequest } from "./chat-request.js"
export type { ConversationLimits } from "./conversations/create-conversations.js"
export { createChatService } from "./create-chat-service.js"
export type { RequestLimits } from "./forms/chat-form.js"
export type {
  AgentContext,
  AgentNetwork,
  AgentQuestion,
  AgentReply,
  AskLimits,
  NetworkOptions,
} from "./networks/agent-network.js"
export { type AgentNetworksOptions, createAgentNetworks } from "./networks/create-agent-networks.js"
