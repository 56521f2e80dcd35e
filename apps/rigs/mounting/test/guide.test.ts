import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const guide = read("../../../../docs/guides/mounting.md")
const quoted = [...guide.matchAll(/```typescript\n(.*?)```/gs)].map(([, code]) => code)

describe("The guide to mounting", () => {
  it("quotes the code that is called here", () => {
    const names = ["express", "express-parsed", "fastify", "hono", "next/app/mcp/route", "next/mcp"]

    expect(quoted).toEqual(names.map((name) => read(`../src/${name}.ts`)))
  })
})

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8")
}
