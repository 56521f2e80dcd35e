import { createMcpAdapter } from "@x/mcp-adapter"
import { bearer, createNodeHandler } from "@x/mcp-adapter/http"
import express from "express"
import { describe, expect, it, onTestFinished } from "vitest"
import { createNotes } from "../src/create-notes.js"

const METADATA = "/.well-known/oauth-protected-resource/mcp"

/** Starts an application with sign-in and a page for all other paths. `told` collects the codes of diagnostics. */
async function start(mountMetadata: boolean) {
  const app = express()
  const server = app.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const origin = `http://127.0.0.1:${Reflect.get(Object(server.address()), "port")}`
  const adapter = createMcpAdapter(createNotes())
  const told: string[] = []
  const unserved = new Promise<void>((resolve) => {
    adapter.events.subscribe((event) => {
      if (event.type !== "diagnostic") return
      told.push(event.diagnostic.code)
      if (event.diagnostic.code === "metadata_unserved") resolve()
    })
  })
  const mcp = createNodeHandler(adapter, {
    authenticate: bearer({
      verifier: { verifyAccessToken: () => Promise.reject(Object.assign(new Error("no"), { status: 401 })) },
      resource: new URL(`${origin}/mcp`),
      toPrincipal: () => ({ id: "ann" }),
      issuer: "https://login.example",
    }),
  })
  app.all("/mcp", mcp.handle)
  const asked = new Promise<void>((resolve) => {
    app.use((request, response, next) => {
      if (request.path === METADATA) response.once("finish", resolve)
      next()
    })
  })
  if (mountMetadata) app.all(METADATA, mcp.handle)
  app.use((_, response) => void response.type("html").send("<!doctype html>"))
  onTestFinished(() => mcp.close().then(() => void server.close()))
  return { url: `${origin}/mcp`, told, unserved, asked }
}

describe("the metadata that a 401 names", () => {
  it("is missed where a page's catch-all answers in its place, and the operator reads what to mount, once", async () => {
    const { url, told, unserved } = await start(false)

    const first = await fetch(url, { method: "POST" })
    await unserved
    await fetch(url, { method: "POST" })

    expect(first.status).toBe(401)
    expect(told.filter((code) => code === "metadata_unserved")).toHaveLength(1)
  })

  it("is found where it is mounted, and nothing is said", async () => {
    const { url, told, asked } = await start(true)

    await fetch(url, { method: "POST" })
    await asked
    // Repeats the endpoint's own request, whose response has been checked by then.
    expect(await (await fetch(new URL(METADATA, url))).json()).toMatchObject({ resource: url })
    expect(told).not.toContain("metadata_unserved")
  })
})
