export async function serve(options) {
  const { createApplication } = await import("./ours.mjs")
  const { adapter } = await createApplication(options)
  const { serveStdio } = await import("@x/mcp-adapter/stdio")
  serveStdio(adapter)
  return {}
}
