import { createAgenticService, link } from "@x/agentic-service"
import { describe, expect, it, onTestFinished } from "vitest"
import { anyResult } from "../src/definitions/list-all.js"
import { fromMcpServer, type Upstream } from "../src/index.js"
import { createScripted } from "./scripted.js"
import { connectTo } from "./servers.js"

const DEFINITION = {
  name: "draw",
  title: "Draw",
  description: "Draws",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  annotations: { title: "Drawing", readOnlyHint: true, "x/cost": 2 },
  execution: { taskSupport: "optional" },
  icons: [{ src: "data:image/png;base64,AA==", mimeType: "image/png" }],
  "x/later": { member: [1, null] },
  _meta: { ui: { resourceUri: "ui://draw/main.html" }, "x/kind": "picture" },
}

describe.each(["legacy", "modern"] as const)("the definition of a foreign tool, to a %s client", (era) => {
  it("crosses with every member that the revision has", async () => {
    const client = await connectTo(take([DEFINITION]), era)
    const { execution, ...rest } = DEFINITION

    // Only older revisions define "execution"; the SDK's server removes it from modern answers.
    const expected = era === "modern" ? rest : { ...rest, execution }
    expect((await toolsOf(client)).find(({ name }) => name === "draw")).toEqual(expected)
  })

  it("keeps its own _meta where the adapter says something there as well", async () => {
    const client = await connectTo(take([DEFINITION]), era, { endpoint: { results: { maxChars: 100_000 } } })

    expect((await toolsOf(client)).find(({ name }) => name === "draw")?.["_meta"]).toEqual({
      ...DEFINITION._meta,
      "anthropic/maxResultSizeChars": 100_000,
    })
  })

  it.each(["dynamic", "stable", "meta", "grouped"] as const)(
    "reaches no model in %s if it is for views alone",
    async (exposure) => {
      const named = (name: string, visibility?: unknown) => ({ ...DEFINITION, name, _meta: { ui: { visibility } } })
      const tools = [
        named("app", ["app"]),
        named("nobody", []),
        named("model", ["model"]),
        named("both", ["app", "model"]),
      ]
      const client = await connectTo(take([...tools, named("odd", "app"), named("none")]), era, {
        endpoint: { exposure },
      })
      const listed = JSON.stringify(await toolsOf(client))
      const { content = [] } = exposure === "meta" ? await client.callTool({ name: "find_actions" }) : {}
      const said = exposure === "meta" ? JSON.stringify(content).replaceAll("\\", "") : listed

      for (const name of ["model", "both", "odd", "none"]) expect(said).toMatch(new RegExp(`\\b${name}\\b`))
      for (const name of ["app", "nobody"]) {
        expect(said).not.toContain(`"name":"${name}"`)
        await expect(client.callTool({ name })).rejects.toMatchObject({ code: -32_602 })
      }
      expect(said).not.toContain("nobody")
    },
  )
})

describe.each(["legacy", "modern"] as const)("the content of a foreign tool's result, to a %s client", (era) => {
  it("keeps the icons of links, and the metadata of embedded resources and of their blocks", async () => {
    const link = { type: "resource_link", uri: "note://1", name: "one", size: 4, icons: DEFINITION.icons }
    const resource = { uri: "note://2", text: "two", _meta: { "x/frame": [300, 200], "x/both": "the resource's" } }
    const embedded = { type: "resource", resource, _meta: { "x/cost": 2, "x/both": "the block's" } }
    const client = await connectTo(take([DEFINITION], undefined, [link, embedded]), era)

    const { content } = await client.callTool({ name: "draw" })

    const _meta = { "x/cost": 2, "x/frame": [300, 200], "x/both": "the resource's" }
    expect(content).toEqual([link, { type: "resource", resource: { ...resource, _meta } }])
  })
})

describe.each(["legacy", "modern"] as const)("the instructions of foreign servers, to a %s client", (era) => {
  it("are told after the operator's, each under the name of its server, and cut", async () => {
    const [docs, long, silent] = [take([], "Search first."), take([], "x".repeat(5_000)), take([])]
    const gateway = createAgenticService({
      name: "gateway",
      links: { docs: link({ service: docs }), long: link({ service: long }), silent: link({ service: silent }) },
    })
    await toolsOf(await connectTo(gateway, era))
    const client = await connectTo(gateway, era, { adapter: { instructions: "Be brief." } })
    const [own, ...others] = client.getInstructions()?.split("\n\n") ?? []

    expect(own).toBe("Be brief.")
    expect(others).toEqual([
      'Instructions of "docs", in its own words:\nSearch first.',
      `Instructions of "long", in its own words:\n${"x".repeat(4_000)} … (cut)`,
    ])
  })

  it("are absent if no server sends any", async () => {
    const silent = take([])
    await toolsOf(await connectTo(silent, era))

    expect((await connectTo(silent, era)).getInstructions()).toBeUndefined()
  })
})

async function toolsOf(client: Awaited<ReturnType<typeof connectTo>>): Promise<readonly Record<string, unknown>[]> {
  // The SDK's own parser drops unknown members.
  const { tools } = await client.request({ method: "tools/list", params: {} }, anyResult)
  return Array.isArray(tools) ? tools : []
}

/** Creates a foreign server with the given tools, whose results have the given content. */
function take(tools: readonly object[], instructions?: string, content: readonly object[] = []): Upstream {
  const { transport } = createScripted({
    "tools/list": () => ({ tools }),
    "tools/call": () => ({ content }),
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "script", version: "1" },
      ...(instructions !== undefined && { instructions }),
    }),
  })
  const upstream = fromMcpServer({ transport }, { era: "legacy", plainNames: true })
  onTestFinished(() => upstream.close())
  return upstream
}
