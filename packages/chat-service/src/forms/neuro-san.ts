import type { JsonSchema } from "@x/agentic-service"
import type { MediaPiece } from "../answer.js"
import type { ChatMessage } from "../chat-options.js"
import { type ChatForm, conversationProperty } from "./chat-form.js"

/**
 * `{ user_message, chat_context?, chat_filter?, sly_data? }`, as neuro-san's OpenAPI document has it.
 *
 * @param name - The agent, as the origins of histories call it.
 */
export function createNeuroSanForm(kept: boolean, name: string): ChatForm {
  const properties = { ...chatRequestSchema.properties, ...(kept && conversationProperty) }
  const schema = {
    components: { schemas: { ...chatComponents, ChatRequest: { ...chatRequestSchema, properties } } },
    $ref: "#/components/schemas/ChatRequest",
  }
  return {
    schema,
    read(input) {
      const { user_message, chat_context, chat_filter, sly_data, conversation } = input as NeuroSanInput // checked above
      const question: ChatMessage = { role: "user", content: user_message.text ?? "" }
      return {
        request: {
          messages: [...historyOf(chat_context, name), question],
          media: toMedia(user_message),
          slyData: { ...user_message.sly_data, ...sly_data },
          ...(chat_context && { chatContext: withoutSlyData(chat_context) }),
          ...(chat_filter?.chat_filter_type !== undefined && { chatFilter: chat_filter.chat_filter_type }),
        },
        handle: conversation,
      }
    },
  }
}

interface NeuroSanInput {
  readonly user_message: NeuroSanMessage
  readonly chat_context?: NeuroSanContext
  readonly chat_filter?: { readonly chat_filter_type?: string }
  readonly sly_data?: Readonly<Record<string, unknown>>
  readonly conversation?: string
}

function toMedia({ mime_data = [] }: NeuroSanMessage): readonly MediaPiece[] {
  return mime_data.map(({ mime_type = "application/octet-stream", mime_bytes = "" }) => ({
    type: "media",
    mimeType: mime_type,
    data: mime_bytes,
  }))
}

/** neuro-san's `chat_context`: histories by where they come from. A `type` so that it passes as a record. */
type NeuroSanContext = {
  /** One for each agent that took part. */
  readonly chat_histories?: readonly NeuroSanHistory[]
}

/** What one agent has heard and said. */
type NeuroSanHistory = {
  /** Which agent, as a path through the network. */
  readonly origin?: readonly { readonly tool?: string; readonly instantiation_index?: number }[]
  /** The messages, oldest first. */
  readonly messages?: readonly NeuroSanMessage[]
}

/** One of neuro-san's messages. */
type NeuroSanMessage = {
  /** Such as `HUMAN` and `AI`; the other types are between agents. */
  readonly type?: string
  /** What it says. */
  readonly text?: string
  /** What comes beside the text. */
  readonly mime_data?: readonly { readonly mime_type?: string; readonly mime_bytes?: string }[]
  /** Data for tools, not for models. */
  readonly sly_data?: Readonly<Record<string, unknown>>
  /** A context of its own. */
  readonly chat_context?: NeuroSanContext
}

/** What the user and an agent have said to each other, by a client's context. */
function historyOf(context: NeuroSanContext | undefined, name: string): readonly ChatMessage[] {
  const histories = context?.chat_histories ?? []
  const own =
    histories.find((history) => isOf(history, name)) ?? histories.find(({ origin = [] }) => origin.length === 0)
  return (own?.messages ?? []).flatMap(({ type, text = "" }) => {
    const role = ROLES.get(type)
    return role === undefined ? [] : [{ role, content: text }]
  })
}

/** The context after a turn, for the client to hand back: this agent's history, and those of others as they came. */
export function toContext(
  before: Readonly<Record<string, unknown>> | undefined,
  name: string,
  messages: readonly ChatMessage[],
): NeuroSanContext {
  const { chat_histories = [] }: NeuroSanContext = before ?? {}
  const others = chat_histories.filter((history) => !isOf(history, name) && (history.origin ?? []).length > 0)
  const own: NeuroSanHistory = {
    origin: [{ tool: name, instantiation_index: 0 }],
    messages: messages.map(({ role, content }) => ({ type: role === "user" ? "HUMAN" : "AI", text: content })),
  }
  return { chat_histories: [own, ...others] }
}

/** A context as it came, but without anything that no model is to see. */
function withoutSlyData(context: NeuroSanContext): NeuroSanContext {
  // `JSON.stringify` visits whatever is in it, however deep: the schema lets members pass that it does not name.
  return JSON.parse(JSON.stringify(context, (key, value: unknown) => (key === "sly_data" ? undefined : value)))
}

const ROLES: ReadonlyMap<string | undefined, ChatMessage["role"]> = new Map([
  ["HUMAN", "user"],
  ["AI", "assistant"],
])

function isOf({ origin = [] }: NeuroSanHistory, name: string): boolean {
  return origin.length === 1 && origin[0]?.tool === name
}

/** An object's schema whose properties can be added to. */
type ObjectSchemaData = {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly [keyword: string]: unknown
}

const slyData = {
  type: "object",
  description:
    "This is an entirely optional map whose keys refer to data that is better left out of the LLM chat stream.",
}

/** The request of neuro-san's chat, as its OpenAPI document has it. */
const chatRequestSchema: ObjectSchemaData = {
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

/** What the request refers to under `#/components/schemas/`. */
const chatComponents: Readonly<Record<string, JsonSchema>> = {
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
