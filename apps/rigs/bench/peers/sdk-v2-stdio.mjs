export async function serve(options) {
  const { createApplication } = await import("./sdk-v2-parts.mjs")
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio")
  const application = createApplication(options)
  serveStdio(() => application.createServer())
  return {}
}
