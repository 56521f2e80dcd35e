import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const guide = read("../../../../docs/guides/mounting.md")
const quoted = [...guide.matchAll(/```typescript\n(.*?)```/gs)].map(([, code]) => code)

describe("The guide to mounting", () => {
  it("quotes the code that is called here", () => {
    const names = ["express", "fastify", "hono", "koa", "nest", "next/app/mcp/route", "next/mcp", "node"]

    expect(quoted).toEqual(names.map((name) => read(`../src/${name}.ts`)))
  })

  it("says of Express what holds for Express 4", () => {
    expect(read("../src/express-4.ts").replaceAll("express-4", "express").replaceAll("Express4", "Express")).toBe(
      read("../src/express.ts"),
    )
  })
})

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8")
}
