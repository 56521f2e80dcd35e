import type { ExecuteContext, Reply } from "@x/agentic-service"
import { changed } from "@x/agentic-service/adapter"
import type { Target } from "../definitions/to-action.js"
import type { Session } from "../life/session.js"

/** Opens a connection for one call. Resolves with `undefined` if it reaches another server than the intended one. */
export type OpenOwn = (thing: string, signal: AbortSignal) => Promise<Session | undefined>

/** Runs a call on its own connection, so that every message there belongs to this call. */
export async function callOnOwn(
  {
    openOwn,
    context,
    target,
  }: { readonly openOwn: OpenOwn; readonly context: ExecuteContext; readonly target: Target },
  use: (session: Session) => Promise<Reply>,
): Promise<Reply> {
  const session = await openOwn(target.thing, context.signal)
  return session === undefined ? changed(String(target.item["name"])) : closeAfter(session, use(session))
}

/** Closes the connection when the call ends; a call that asks a person has not ended. */
async function closeAfter(session: Session, coming: Promise<Reply>): Promise<Reply> {
  const reply = await coming.catch(async (cause: unknown) => {
    await session.close()
    throw cause
  })
  if (reply.ok === "ask")
    return { ...reply, resume: (answers, context) => closeAfter(session, reply.resume(answers, context)) }
  await session.close()
  return reply
}
