import "reflect-metadata"
import { Body, Controller, Module, Post } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { McpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"

@Controller()
class EchoController {
  @Post("echo")
  echo(@Body() body: unknown) {
    return body
  }
}

@Module({ controllers: [EchoController] })
class AppModule {}

export async function serveWithNest(adapter: McpAdapter, port: number) {
  const mcp = createNodeHandler(adapter)
  const app = await NestFactory.create(AppModule)

  app.use("/mcp", mcp.handle)

  await app.listen(port, "127.0.0.1")
  return { server: app.getHttpServer(), close: () => mcp.close().then(() => app.close()) }
}
