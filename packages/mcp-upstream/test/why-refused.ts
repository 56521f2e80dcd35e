import type { ReadConfig } from "../src/node.js"

/** Returns why servers are refused, by name. */
export function whyRefused({ refused }: ReadConfig): Readonly<Record<string, string>> {
  return Object.fromEntries(refused.map(({ name, reasons }) => [name, reasons.join("\n")]))
}
