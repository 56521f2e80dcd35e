import type { Client } from "@modelcontextprotocol/client"
import { firstValueFrom, Observable, timeout } from "rxjs"

/**
 * Runs a function that changes a state, and waits for the server's notice.
 *
 * @returns The state after the change.
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

/** Reads a state like a client's host. */
export async function readState(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri })
  return contents.map((content) => ("text" in content ? content.text : "")).join("\n")
}

/** Milliseconds to wait for a notice, which normally comes within 100. */
const PATIENCE = 10_000
