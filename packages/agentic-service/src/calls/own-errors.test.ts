import { of } from "rxjs"
import { describe, expect, it } from "vitest"
import { action, createAgenticService, fail, type OwnErrors, toAgenticService } from "../index.js"
import type { MemberFailure } from "../service.js"

class DomainError extends Error {}

class InsufficientFunds extends DomainError {
  readonly code = "insufficient_funds"
  readonly recovery = "withdraw less"
  readonly balance: number

  constructor(balance: number) {
    super(`insufficient funds: the balance is ${balance}`)
    this.balance = balance
  }
}

/** Calls an action that throws, and returns the caller's answer and the reports. */
async function withdraw(errors: OwnErrors | undefined, execute: () => unknown) {
  const account = createAgenticService({
    name: "account",
    ...(errors && { errors }),
    actions: { withdraw: action({ description: "Takes money out", execute: execute as () => undefined }) },
  })
  const failures: MemberFailure[] = []
  account.failures.subscribe((failure) => failures.push(failure))
  return { outcome: await account.execute("withdraw", {}), failures }
}

function throwing(thrown: unknown): () => never {
  return () => {
    throw thrown
  }
}

describe("errors of an author's own", () => {
  it("shows the message of an error of a class, with its code and recovery", async () => {
    const { outcome, failures } = await withdraw([DomainError], throwing(new InsufficientFunds(3)))

    expect(outcome).toEqual({
      ok: false,
      message: "insufficient funds: the balance is 3",
      code: "insufficient_funds",
      recovery: "withdraw less",
    })
    expect(failures).toEqual([])
  })

  it("shows errors from rejected promises and returned ones", async () => {
    const rejected = await withdraw([DomainError], () => Promise.reject(new DomainError("closed")))
    const returned = await withdraw([DomainError], () => new DomainError("closed"))

    expect([rejected.outcome, returned.outcome]).toEqual([
      { ok: false, message: "closed", code: "action_failed" },
      { ok: false, message: "closed", code: "action_failed" },
    ])
  })

  it("shows a mapping function's failure", async () => {
    const errors: OwnErrors = (thrown) =>
      thrown instanceof InsufficientFunds ? fail(`only ${thrown.balance} left`, { code: "broke" }) : undefined

    expect((await withdraw(errors, throwing(new InsufficientFunds(3)))).outcome).toMatchObject({
      message: "only 3 left",
      code: "broke",
    })
    expect((await withdraw(errors, throwing(new Error("secret")))).outcome).toMatchObject({
      message: expect.stringContaining("action failed ("),
    })
  })

  it.each<[string, OwnErrors | undefined, unknown]>([
    ["another error", [InsufficientFunds], new Error("password=1")],
    ["what is no error", [Error], { message: "password=1" }],
    ["any error where no classes are named", undefined, new InsufficientFunds(3)],
  ])("keeps %s for the log", async (_, errors, thrown) => {
    const { outcome, failures } = await withdraw(errors, throwing(thrown))

    expect(outcome).toMatchObject({ code: "action_failed", message: expect.stringMatching(/^action failed \(\w+\)$/) })
    expect(failures).toEqual([{ kind: "action", key: "withdraw", cause: thrown, id: expect.any(String) }])
  })

  it("reports an error's cause, and shows only its own message", async () => {
    const error = new DomainError("the bank is closed", { cause: new Error("connect ECONNREFUSED 10.0.0.7") })
    const { outcome, failures } = await withdraw([DomainError], throwing(error))

    expect(outcome).toEqual({ ok: false, message: "the bank is closed", code: "action_failed" })
    expect(failures).toEqual([{ kind: "action", key: "withdraw", cause: error, id: expect.any(String) }])
  })

  it("shows the name of an error without a message", async () => {
    expect((await withdraw([DomainError], throwing(new DomainError()))).outcome).toMatchObject({
      message: "DomainError",
    })
  })

  it.each<[string, unknown]>([
    [
      "throws",
      () => {
        throw new Error("a mistake in the mapping")
      },
    ],
    ["returns what is no failure", () => "insufficient funds"],
  ])("reports a function that %s, and what was thrown at first", async (_, errors) => {
    // Untyped code may do so.
    const thrown = new DomainError("closed")
    const { outcome, failures } = await withdraw(errors as OwnErrors, throwing(thrown))

    expect(outcome).toMatchObject({ message: expect.stringContaining("action failed (") })
    expect(failures.map(({ cause }) => cause)).toEqual([expect.any(Error), thrown])
  })

  it("applies to a foreign service wrapped with them", async () => {
    const withdraw = { description: "Takes money out", execute: throwing(new InsufficientFunds(3)) }
    const foreign = { actions: of({ withdraw }), execute: throwing(new InsufficientFunds(3)) }

    expect(await toAgenticService(foreign, { errors: [DomainError] }).execute("withdraw", {})).toMatchObject({
      message: "insufficient funds: the balance is 3",
      code: "insufficient_funds",
    })
  })

  it("accepts a single class", async () => {
    // Untyped code may do so.
    const errors = DomainError as unknown as OwnErrors

    expect((await withdraw(errors, throwing(new DomainError("closed")))).outcome).toMatchObject({ message: "closed" })
  })

  it.each<[string, unknown, string]>([
    ["a text", "DomainError", "found string"],
    ["a list of something else", [DomainError, class Other {}], 'found function "Other"'],
  ])("refuses %s when the service is made", (_, errors, words) => {
    // Untyped code may do so.
    expect(() => createAgenticService({ name: "x", errors: errors as OwnErrors })).toThrow(words)
  })
})
