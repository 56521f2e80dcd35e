import { type ActionDeclaration, action, content } from "@x/agentic-service"
import { PNG, WAV } from "./samples.js"

/** One action for each kind of content an action can show. */
export const contentActions: Readonly<Record<string, ActionDeclaration>> = {
  test_simple_text: action({
    description: "Returns text",
    readOnly: true,
    execute: () => content(undefined, [{ type: "text", text: "This is a simple text response for testing." }]),
  }),
  test_image_content: action({
    description: "Returns an image",
    readOnly: true,
    execute: () => content(undefined, [{ type: "image", data: PNG, mimeType: "image/png" }]),
  }),
  test_audio_content: action({
    description: "Returns a sound",
    readOnly: true,
    execute: () => content(undefined, [{ type: "audio", data: WAV, mimeType: "audio/wav" }]),
  }),
  test_embedded_resource: action({
    description: "Returns a resource",
    readOnly: true,
    execute: () =>
      content(undefined, [
        {
          type: "resource",
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      ]),
  }),
  test_multiple_content_types: action({
    description: "Returns text, an image and a resource",
    readOnly: true,
    execute: () =>
      content(undefined, [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: PNG, mimeType: "image/png" },
        {
          type: "resource",
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      ]),
  }),
}
