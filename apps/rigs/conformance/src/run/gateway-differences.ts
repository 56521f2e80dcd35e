import type { Exception } from "./exceptions.js"

const STATE = "a gateway matches an answer to a question by its state; without the state it rejects the answer"

/** The checks that pass against the fixture itself and fail behind the gateway, each with its reason, by leg and suite. */
export const gatewayDifferences: Readonly<Record<string, readonly Exception[]>> = {
  "gateway 0.2.0-alpha.12 2026-07-28": [
    {
      scenario: "input-required-result-ignore-extra-params",
      checks: ["sep-2322-ignore-unexpected-params"],
      why: STATE,
    },
  ],
}
