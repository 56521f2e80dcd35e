import type { Client } from "@modelcontextprotocol/client"
import type { Diagnostic, McpAdapter } from "@x/mcp-adapter"
import type { Answer, CallOptions } from "./calls.js"
import type { SeenByModel } from "./seen.js"
import type { Waiting } from "./waiting.js"

/** A real MCP client of a service, in the same process, for one test. It subscribes to each state from the start. */
export interface TestClient extends Waiting {
  /** The era it speaks: `modern` from 2026-07-28, `legacy` up to 2025-11-25. */
  readonly era: "modern" | "legacy"
  /** What serves the service; give it to `createTestClient` for a second client of the same, such as another user's. */
  readonly adapter: McpAdapter
  /** The client of the MCP SDK, for what is not here. */
  readonly client: Client
  /**
   * What an operator would have been told so far: members that are left out, schemas that cannot be published, actions that
   * threw. Where nobody has looked when the client is closed, they are printed.
   */
  readonly diagnostics: readonly Diagnostic[]
  /** What the model sees now: plain data, the same for the same application, so that it can be a snapshot. */
  look(): Promise<SeenByModel>
  /** The names of the tools that are listed now, the adapter's own such as `get_state` among them. */
  list(): Promise<readonly string[]>
  /**
   * Reads a state as a client does.
   *
   * @param state - Its path and key, such as `items` or `open/title`, or its URI.
   * @returns What its JSON stands for; a text where its media type is another, and bytes where it has bytes.
   * @throws TestingError `unknown_state`, with those that there are.
   */
  read(state: string): Promise<unknown>
  /**
   * Calls a tool. An action that fails is an answer, too.
   *
   * @throws TestingError `unknown_tool`, `unanswered` where the person was asked more than there are answers, `unasked`
   * where there are more answers than questions.
   */
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>
  /**
   * Disconnects, closes the adapter that was made for this client, and makes sure that nothing is left open: no call that
   * was not waited for, no action that does not stop, no subscription, timer, stream or view. Idempotent. To be called at
   * the end of each test.
   *
   * @throws TestingError `left_open`, with what is.
   */
  close(): Promise<void>
}
