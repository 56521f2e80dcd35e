export async function serve() {
  await import("rxjs")
  await import("@modelcontextprotocol/server")
  await import("@modelcontextprotocol/node")
  return {}
}
