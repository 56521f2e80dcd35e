// The public interface: offer an agent as a service.

export type {
  AgentContext,
  AgentNetwork,
  AgentQuestion,
  AgentReply,
  AskLimits,
  NetworkOptions,
} from "./agent-network.js"
export type {
  Answer,
  InsideMessage,
  MediaPiece,
  Piece,
  SlyDataPiece,
  SourcePiece,
  StructurePiece,
} from "./answer.js"
export type {
  AgentOptions,
  ChatForms,
  ChatLimits,
  ChatMessage,
  ChatOptions,
  ChatRequest,
  ChatServiceOptions,
  ConversationLimits,
  RequestLimits,
  Respond,
  RespondContext,
} from "./chat-options.js"
export { type AgentNetworksOptions, createAgentNetworks } from "./create-agent-networks.js"
export { createChatService } from "./create-chat-service.js"
