export async function serve() {
  await import("@x/agentic-service")
  await import("@x/mcp-adapter")
  await import("@x/mcp-adapter/http")
  return {}
}
