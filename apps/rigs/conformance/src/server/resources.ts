import type { MethodExtension, Result } from "@x/mcp-adapter"
import { append } from "./raw-tool.js"
import { PNG } from "./samples.js"

/** Resources with their own URIs, in addition to the states. */
export const resourceMethods: Readonly<Record<string, MethodExtension>> = {
  "resources/list": (own) => async (params, context) => append(await own(params, context), "resources", listed),
  "resources/templates/list": (own) => async (params, context) =>
    append(await own(params, context), "resourceTemplates", [template]),
  "resources/read": (own) => async (params, context) => read(String(params["uri"])) ?? own(params, context),
}

/** Whether these resources include a URI. */
export function isResource(uri: string): boolean {
  return read(uri) !== undefined
}

const listed = [
  { uri: "test://static-text", name: "static-text", description: "A text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "An image", mimeType: "image/png" },
  {
    uri: "test://watched-resource",
    name: "watched-resource",
    description: "A text to subscribe to",
    mimeType: "text/plain",
  },
]

const template = {
  uriTemplate: "test://template/{id}/data",
  name: "template",
  description: "Data by id",
  mimeType: "application/json",
}

function read(uri: string): Result | undefined {
  switch (uri) {
    case "test://static-text":
      return contents(uri, "text/plain", "This is the content of the static text resource.")
    case "test://static-binary":
      return { contents: [{ uri, mimeType: "image/png", blob: PNG }] }
    case "test://watched-resource":
      return contents(uri, "text/plain", "Watched resource content")
    default: {
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
      const data = { id, templateTest: true, data: `Data for ID: ${id}` }
      return id === undefined ? undefined : contents(uri, "application/json", JSON.stringify(data))
    }
  }
}

function contents(uri: string, mimeType: string, text: string): Result {
  return { contents: [{ uri, mimeType, text }] }
}
