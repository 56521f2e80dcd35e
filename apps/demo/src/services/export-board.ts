import { type ActionDeclaration, action, fail } from "@x/agentic-service"
import type { Exporter } from "../board/create-exporter.js"

/** Returns the action that exports the board. It may take longer than clients wait, so its result can be fetched later. */
export function exportBoard(exporter: Exporter): ActionDeclaration {
  return action({
    description: "Export the board as Markdown, which takes a while",
    long: true,
    readOnly: true,
    async execute(_, { signal, progress }) {
      const report = (percent: number): void => progress({ progress: percent, total: 100, message: `${percent} %` })
      const markdown = await exporter.run(signal, report)
      return markdown === undefined ? fail("the export was cancelled") : { markdown }
    },
  })
}
