import type { AuthoredJsonSchema, JsonSchema } from "@x/agentic-service"

/** An object schema whose properties can be extended. */
export type ObjectSchemaData = {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly [keyword: string]: unknown
}

const slyData = {
  type: "object",
  description:
    "This is an entirely optional map whose keys refer to data that is better left out of the LLM chat stream.",
}

/** The request schema of neuro-san's chat, copied from its OpenAPI document. */
export const chatRequestSchema: ObjectSchemaData = {
  type: "object",
  properties: {
    sly_data: slyData,
    user_message: { $ref: "#/components/schemas/ChatMessage" },
    chat_context: { $ref: "#/components/schemas/ChatContext" },
    chat_filter: { $ref: "#/components/schemas/ChatFilter" },
  },
  description: "Request structure for Chat gRPC method",
  required: ["user_message"],
  additionalProperties: false,
}

/** The schemas that the request refers to under `#/components/schemas/`. */
export const chatComponents: Readonly<Record<string, JsonSchema>> = {
  ChatContext: {
    type: "object",
    properties: {
      chat_histories: {
        type: "array",
        items: { $ref: "#/components/schemas/ChatHistory" },
        description: "A potentially full list of chat histories that pertain to the node. ",
      },
    },
    description: "Message for holding the state of play for any chat session",
  },
  ChatFilter: {
    type: "object",
    properties: {
      chat_filter_type: {
        enum: ["UNKNOWN", "MINIMAL", "MAXIMAL"],
        type: "string",
        description: "For now allow for an enum to describe how we want chat messages streamed. ",
        format: "enum",
      },
    },
    description: "Allows for controlling the messages that get streamed via StreamingChat.",
  },
  ChatHistory: {
    type: "object",
    properties: {
      origin: { type: "array", items: { $ref: "#/components/schemas/Origin" } },
      messages: { type: "array", items: { $ref: "#/components/schemas/ChatMessage" } },
    },
    description: "A structure for storing chat history for a given node in the graph described by the origin.",
  },
  ChatMessage: {
    type: "object",
    properties: {
      type: {
        enum: ["UNKNOWN", "SYSTEM", "HUMAN", "AI", "AGENT", "AGENT_FRAMEWORK", "AGENT_TOOL_RESULT", "AGENT_PROGRESS"],
        type: "string",
        description: "The type of chat message",
        format: "enum",
      },
      text: { type: "string", description: "String contents of any chat message" },
      mime_data: {
        type: "array",
        items: { $ref: "#/components/schemas/MimeData" },
        description: "Optional bytes for any non-text media referenced by this message. ",
      },
      origin: {
        type: "array",
        items: { $ref: "#/components/schemas/Origin" },
        description: "Optional list of Origin structures (see above) describing the origin of the chat message.",
      },
      structure: { type: "object", description: "Optional structure for a message whose contents are parsed JSON." },
      chat_context: { $ref: "#/components/schemas/ChatContext" },
      tool_result_origin: {
        type: "array",
        items: { $ref: "#/components/schemas/Origin" },
        description: "Optional list of Origin structures (see above) describing the origin of a tool result.",
      },
      sly_data: slyData,
    },
    description: "Structure describing a single chat message.",
  },
  MimeData: {
    type: "object",
    properties: {
      mime_type: { type: "string", description: "MIME type of the image data" },
      mime_bytes: { type: "string", description: "Raw bytes of the image", format: "byte" },
    },
    description: "A Message identifying image data",
  },
  Origin: {
    type: "object",
    properties: {
      tool: { type: "string", description: "String name of the originating tool, as per the agent spec." },
      instantiation_index: {
        type: "integer",
        description:
          "Some tools can be called more than once by one or more different paths. Allow for an instantiation index to distinguish these in the chat stream. Index counting starts at 0.",
        format: "int32",
      },
    },
  },
}

/** The schema of an answer if the client keeps the conversation. */
export const clientOutput: AuthoredJsonSchema = {
  type: "object",
  properties: {
    text: { type: "string", description: "The answer" },
    chat_context: { type: "object", description: "Send it as `chat_context` to continue the conversation" },
  },
  required: ["text", "chat_context"],
  additionalProperties: false,
}

/** The schema of an answer if the service keeps the conversation. */
export const keptOutput: AuthoredJsonSchema = {
  type: "object",
  properties: {
    text: { type: "string", description: "The answer" },
    conversation: { type: "string", description: "Send it as `conversation` to continue the conversation" },
  },
  required: ["text", "conversation"],
  additionalProperties: false,
}

/** The property that continues a kept conversation. */
export const conversationProperty: { readonly conversation: AuthoredJsonSchema } = {
  conversation: {
    type: "string",
    maxLength: 200,
    description: "Continues a conversation: pass the `conversation` of its last answer. Omit it to start a new one.",
  },
}
