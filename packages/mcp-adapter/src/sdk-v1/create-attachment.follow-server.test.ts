import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { describe, expect, it } from "vitest"
import { followServer } from "./create-attachment.js"
import { connectWire } from "./wire.fixture.js"

describe("followServer", () => {
  it("calls the existing callback, then the new one", async () => {
    const { server, told } = create()
    server.oninitialized = () => told.push("owner is ready")
    server.onclose = () => told.push("owner has ended")
    follow(server, told, "one")

    await connect(server)

    expect(told).toEqual(["owner is ready", "one is ready", "owner has ended", "one has ended"])
  })

  it("restores the server's callbacks", () => {
    const { server, told } = create()
    const owner = () => {}
    server.onclose = owner
    const stop = follow(server, told, "one")

    stop()

    expect(server.onclose).toBe(owner)
    expect(server).not.toHaveProperty("oninitialized")
  })

  it("stops without affecting later callbacks", async () => {
    const { server, told } = create()
    const stop = follow(server, told, "one")
    follow(server, told, "two")

    stop()
    await connect(server)

    expect(told).toEqual(["two is ready", "two has ended"])
  })
})

function create() {
  const told: string[] = []
  return { server: new Server({ name: "own", version: "0" }), told }
}

function follow(server: Server, told: string[], name: string) {
  return followServer(server, {
    ready: () => void told.push(`${name} is ready`),
    ended: () => void told.push(`${name} has ended`),
  })
}

/** Opens, initializes and closes a connection. */
async function connect(server: Server) {
  const wire = await connectWire(server)
  await wire.initialize()
  await wire.request("ping")
  await wire.close()
}
