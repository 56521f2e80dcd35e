import type { Client } from "@modelcontextprotocol/client"
import { firstValueFrom, Observable, timeout } from "rxjs"

/**
 * Does something that changes a state, and waits until the server says that the state has changed.
 *
 * @returns The state, read afterwards.
 */
export async function watchState(client: Client, uri: string, change: () => Promise<unknown>): Promise<string> {
  const updates$ = new Observable<void>((subscriber) =>
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      if (params.uri === uri) subscriber.next()
    }),
  )
  const updated = firstValueFrom(updates$.pipe(timeout(PATIENCE)))
  const subscription = await client.listen({ resourceSubscriptions: [uri] })
  await Promise.all([updated, change()])
  await subscription.close()
  return readState(client, uri)
}

/** Reads a state, as the client's host would. */
export async function readState(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri })
  return contents.map((content) => ("text" in content ? content.text : "")).join("\n")
}

/** Milliseconds to wait for a notice that comes within a tenth of a second where everything works. */
const PATIENCE = 10_000
