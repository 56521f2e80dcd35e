import { describe, expect, it } from "vitest"
import { findPrincipalFault } from "./principal-fault.js"

describe("findPrincipalFault", () => {
  it.each([
    { id: "ann" },
    { id: "ann", scopes: [] },
    { id: "ann", scopes: ["read"], claims: { team: 7 } },
    { id: "ann", scopes: undefined, claims: undefined },
    Object.assign(Object.create({ inherited: true }), { id: "ann", name: "Ann" }),
  ])("finds nothing wrong with %j", (principal) => {
    expect(findPrincipalFault(principal)).toBeUndefined()
  })

  it.each([
    [undefined, 'it is undefined: expected an object with an "id"'],
    [null, 'it is null: expected an object with an "id"'],
    ["ann", 'it is "ann": expected an object with an "id"'],
    [[{ id: "ann" }], 'it is a list: expected an object with an "id"'],
    [{}, 'its "id" is undefined: expected a string'],
    [{ sub: "ann" }, 'its "id" is undefined: expected a string'],
    [{ id: 7 }, 'its "id" is 7: expected a string'],
    [{ id: null }, 'its "id" is null: expected a string'],
    [
      { id: "a", scopes: "unread spread" },
      'its "scopes" is "unread spread": expected a list of strings, such as ["unread", "spread"]',
    ],
    [{ id: "a", scopes: "" }, 'its "scopes" is "": expected a list of strings'],
    [{ id: "a", scopes: null }, 'its "scopes" is null: expected a list of strings'],
    [{ id: "a", scopes: new Set(["read"]) }, 'its "scopes" is an object: expected a list of strings'],
    [{ id: "a", scopes: { read: true } }, 'its "scopes" is an object: expected a list of strings'],
    [
      { id: "a", scopes: ["read write"] },
      'its "scopes" is a list with "read write": expected one scope in each item, such as ["read", "write"]',
    ],
    [{ id: "a", scopes: ["read", undefined] }, 'its "scopes" is a list with undefined'],
    [{ id: "a", scopes: [7] }, 'its "scopes" is a list with 7'],
    [{ id: "a", claims: "team" }, 'its "claims" is "team": expected an object'],
  ])("says what is wrong with %j", (principal, words) => {
    expect(findPrincipalFault(principal)).toContain(words)
  })
})
