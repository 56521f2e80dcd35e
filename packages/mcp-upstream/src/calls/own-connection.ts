import type { ExecuteContext, Reply } from "@x/agentic-service"
import { changed } from "@x/agentic-service/adapter"
import type { Session } from "../life/session.js"
import type { Target } from "../mirror/to-action.js"

/** Opens a connection for one call; `undefined` if it does not reach the server that the call is for, by its identity. */
export type OpenOwn = (thing: string, signal: AbortSignal) => Promise<Session | undefined>

/** Runs a call on a connection of its own, so that whatever the server says on it belongs to that call. */
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

/** Closes the connection once the call has ended; it stays open while the call asks a person. */
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
