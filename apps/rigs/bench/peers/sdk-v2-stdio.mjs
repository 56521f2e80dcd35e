export async function serve(options) {
  // What whoever writes such an application has as well.
  await import("rxjs")
  const { createApplication } = await import("./sdk-v2-parts.mjs")
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio")
  const application = createApplication(options)
  serveStdio(() => application.createServer())
  return {}
}
