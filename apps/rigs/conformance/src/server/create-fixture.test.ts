import { Client } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { describe, expect, it } from "vitest"
import { createFixture } from "./create-fixture.js"

async function connect() {
  const { service, extension, options } = createFixture()
  const adapter = createMcpAdapter(service, options)
  const client = new Client({ name: "test", version: "0" })
  await client.connect(connectInMemory(adapter, { extension }))
  return { client, close: () => client.close().finally(adapter.close) }
}

describe("createFixture", () => {
  it("has the tools that the suites call", async () => {
    const { client, close } = await connect()

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(TOOLS))
    await close()
  })

  it("has the prompts that the suites get", async () => {
    const { client, close } = await connect()

    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      "test_simple_prompt",
      "test_prompt_with_arguments",
      "test_prompt_with_embedded_resource",
      "test_prompt_with_image",
      "test_input_required_result_prompt",
    ])
    await close()
  })

  it("has the resources that the suites read", async () => {
    const { client, close } = await connect()
    const { resources } = await client.listResources()

    for (const uri of ["test://static-text", "test://static-binary", "test://watched-resource"]) {
      expect(resources.map((resource) => resource.uri)).toContain(uri)
    }
    expect((await client.readResource({ uri: "test://template/7/data" })).contents).toMatchObject([
      { text: JSON.stringify({ id: "7", templateTest: true, data: "Data for ID: 7" }) },
    ])
    await close()
  })

  it("changes its tools when told to", async () => {
    const { client, close } = await connect()
    const changed = new Promise((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", resolve)
    })

    await client.callTool({ name: "test_trigger_tool_change" })

    await changed
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("test_dynamic_tool")
    await close()
  })
})

const TOOLS = `
  test_simple_text test_image_content test_audio_content test_embedded_resource test_multiple_content_types
  test_error_handling test_tool_with_progress test_tool_with_logging test_logging_tool test_reconnection
  test_sampling test_elicitation test_elicitation_sep1034_defaults test_elicitation_sep1330_enums
  test_missing_capability test_streaming_elicitation test_trigger_tool_change test_trigger_prompt_change
  test_input_required_result_elicitation test_input_required_result_sampling test_input_required_result_list_roots
  test_input_required_result_request_state test_input_required_result_multiple_inputs
  test_input_required_result_multi_round test_input_required_result_tampered_state
  test_input_required_result_capabilities json_schema_2020_12_tool test_x_mcp_header`
  .trim()
  .split(/\s+/)
