import type { Block } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { toContent } from "./tool-result.js"

describe("toContent", () => {
  it("writes bytes as base64 [content-media]", () => {
    const data = new Uint8Array([0, 255, 16])

    expect(toContent({ type: "image", data, mimeType: "image/png" })).toEqual({
      type: "image",
      data: "AP8Q",
      mimeType: "image/png",
    })
  })

  it("keeps base64 unchanged", () => {
    const block: Block = { type: "audio", data: "AP8Q", mimeType: "audio/wav" }

    expect(toContent(block)).toEqual(block)
  })

  it("reports data that is not base64", () => {
    expect(toContent({ type: "image", data: "no!", mimeType: "image/png" })).toEqual({
      type: "text",
      text: "(image left out: its data is not base64)",
    })
  })

  it("embeds a resource as text or as bytes [content-resource]", () => {
    const uri = "file:///a"

    expect(toContent({ type: "resource", uri, text: "hi", mimeType: "text/plain" })).toEqual({
      type: "resource",
      resource: { uri, mimeType: "text/plain", text: "hi" },
    })
    expect(toContent({ type: "resource", uri, blob: new Uint8Array([1]) })).toEqual({
      type: "resource",
      resource: { uri, blob: "AQ==" },
    })
  })

  it("links a resource without its missing members [content-link]", () => {
    expect(toContent({ type: "resource_link", uri: "x:y", name: "y" })).toEqual({
      type: "resource_link",
      uri: "x:y",
      name: "y",
    })
  })

  it("shows an unknown block as text", () => {
    const block: unknown = { type: "video", frames: 3n }

    // Untyped services may return anything.
    expect(toContent(block as Block)).toEqual({ type: "text", text: '{"type":"video","frames":"3"}' })
  })
})
