import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { connect } from "../tour/connect.js"

/** A step of the play. */
export type Step = "connected" | "added" | "opened" | "commented" | "moved" | "asking"

/**
 * Plays a model that works on the board of a page, for screenshots.
 *
 * @param shown - Called after each step; for `asking`, while the question is open.
 */
export async function playOnBoard(url: string, shown: (step: Step) => Promise<void>): Promise<void> {
  const { client, close } = await connect(new StreamableHTTPClientTransport(new URL(url)))
  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    await client.callTool({ name, arguments: { ...args } })
  }
  await shown("connected")
  await call("add", { title: "Water the plants", column: "doing" })
  await call("add", { title: "Ask the printer for a date" })
  await shown("added")
  await call("open_card", { id: "c3" })
  await shown("opened")
  await call("open__comment", { text: "Fixed: the form was wider than the screen" })
  await shown("commented")
  await call("open__complete")
  await call("undo")
  await call("redo")
  await call("open__close")
  await shown("moved")
  const clearing = call("clear")
  await shown("asking")
  await clearing
  await close()
}
