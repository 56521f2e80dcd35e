import { describe, expect, it } from "vitest"
import { listenedUris } from "./listened-uris.js"

describe("listenedUris", () => {
  it("reads the URIs of a listen", () => {
    expect(listenedUris(toListen({ resourceSubscriptions: ["a:1", "a:2"] }))).toEqual(["a:1", "a:2"])
  })

  it("finds none in a listen that wants other things", () => {
    expect(listenedUris(toListen({ toolsListChanged: true }))).toEqual([])
  })

  it.each([undefined, null, "a:1", { 0: "a:1" }])("finds none where the URIs are %j", (resourceSubscriptions) => {
    expect(listenedUris(toListen({ resourceSubscriptions }))).toEqual([])
  })

  it("leaves out what is not a string", () => {
    expect(listenedUris(toListen({ resourceSubscriptions: [1, "a:1", null] }))).toEqual(["a:1"])
  })

  it.each([undefined, null, 1, "x", [], { method: "tools/list" }])("is undefined for %j", (message) => {
    expect(listenedUris(message)).toBeUndefined()
  })

  it.each([{}, { params: null }, { params: { notifications: 1 } }])("finds none in a listen with %j", (rest) => {
    expect(listenedUris({ method: "subscriptions/listen", ...rest })).toEqual([])
  })
})

function toListen(notifications: object): unknown {
  return { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications } }
}
