export async function serve() {
  await import("@modelcontextprotocol/server")
  await import("@modelcontextprotocol/node")
  return {}
}
