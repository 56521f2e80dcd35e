import "reflect-metadata"
import { All, Controller, Get, Module, Req, Res } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import { createNodeHandler } from "@x/mcp-adapter/http"
import express from "express"
import { corsSettings, has, hasCors, PAGE } from "../layers.mjs"
import { connectLayers } from "./express.mjs"

/** Adds the layers: CORS by Nest itself, the others by Express middleware. */
function addLayers(app, { layer, way }) {
  if (hasCors(layer)) app.enableCors(corsSettings(layer, { exposed: "exposedHeaders", methods: "methods", way }))
  const others = hasCors(layer)
    ? connectLayers({ layer, way }, express).slice(1)
    : connectLayers({ layer, way }, express)
  for (const middleware of others) app.use(middleware)
}

const createRow = (name, inController) => ({
  name: `Nest, ${name}`,
  // Nest's own parser does not run before middleware that stands in front of the routes.
  lacks: inController ? [] : ["own"],
  reads: [],
  async start(site) {
    const mcp = createNodeHandler(site.adapter, site.options)
    const app = await NestFactory.create(createModule(inController ? site.paths : [], mcp), {
      logger: ["error", "warn"],
    })
    addLayers(app, site)
    if (!inController) for (const path of site.paths) app.use(path, mcp.handle)
    // Nest registers its routes here; earlier middleware runs before them.
    await app.init()
    if (has(site.layer, "catch-all"))
      app.getHttpAdapter().get("/{*path}", (_, response) => response.type("html").send(PAGE))
    await app.listen(site.port, "127.0.0.1")
    return { close: () => mcp.close().then(() => app.close()) }
  },
})

/** Creates a module whose controller serves the paths. Calls decorators as functions, since plain JavaScript has none. */
function createModule(paths, mcp) {
  class AppController {
    serve(request, response) {
      return mcp.handle(request, response)
    }
    page() {
      return PAGE
    }
  }
  const { prototype } = AppController
  const decorate = (decorator, key) => decorator(prototype, key, Object.getOwnPropertyDescriptor(prototype, key))
  if (paths.length > 0) decorate(All(paths), "serve")
  Req()(prototype, "serve", 0)
  Res()(prototype, "serve", 1)
  decorate(Get("/page"), "page")
  Controller()(AppController)
  class AppModule {}
  Module({ controllers: [AppController] })(AppModule)
  return AppModule
}

/** Nest, with MCP before its routes, and in a controller. */
export const onNest = [createRow("app.use(path, mcp.handle)", false), createRow("mcp.handle in a controller", true)]
