import { describe, expect, it } from "vitest"
import { profileNames } from "../src/profile-name.js"
import { checkSuite, type SuiteCase } from "./support/schema-suite.js"

const toCase = (schema: SuiteCase["schema"], tests: SuiteCase["tests"] = []): SuiteCase => ({
  name: "case",
  schema,
  draft: "2020-12",
  tests,
})

describe("checkSuite", () => {
  it("counts published, rejected and lossy schemas in every profile, and generates values to compare", () => {
    const counts = checkSuite([
      toCase({ type: "object", properties: { a: { type: "array", prefixItems: [{ type: "string" }] } } }),
      toCase({ $ref: "https://example.com/elsewhere" }),
    ])

    expect(counts.map(({ profile }) => profile)).toEqual(profileNames)
    for (const each of counts) {
      expect(each).toMatchObject({ schemas: 2, published: 1, refused: { network_ref: 1 }, faults: [] })
    }
    expect(counts.find(({ profile }) => profile === "portable")).toMatchObject({ lossy: 1, compared: 20 })
  })

  it("leaves out verdicts that our validator does not share, because it is not under test", () => {
    const [counts] = checkSuite([
      toCase({ type: "string" }, [
        { data: 1, valid: true },
        { data: "a", valid: true },
      ]),
    ])

    expect(counts?.compared).toBe(1)
  })
})
