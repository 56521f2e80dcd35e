import { releaseOf } from "./clients.mjs"

/** Returns the docs page about a run. `seen` holds the results of `play` by client and leg. */
export function toPage(seen) {
  const rows = seen.map(({ client, results }) => {
    const cell = (toText) => inBoth(results.map(({ leg, result }) => ({ leg, text: toText(result) })))
    const { name, version } = releaseOf(client)
    return [
      client.title,
      `\`${name}\` ${version}`,
      cell(({ revision }) => revision),
      cell(({ told }) => (told ? "yes" : "no")),
      cell(({ follows }) => (follows ? "yes" : "no")),
      cell(({ unknownTool }) => unknownTool),
      cell(({ changes }) => changes ?? "as sent"),
      cell(({ results }) => `${results} of ${results} as they were`),
      toRestart(results.flatMap(({ result }) => result.restart ?? [])),
    ]
  })
  return `${intro()}\n${[HEAD, HEAD.map(() => "---"), ...rows].map(toRow).join("\n")}\n${NOTES}`
}

const HEAD = [
  "client",
  "version",
  "speaks",
  "notified of changes",
  "lists again by itself",
  "unknown tool",
  "names and schemas",
  "results",
  "after a restart of the server",
]

function toRestart([{ forgets, takesUp }]) {
  if (forgets === takesUp) return { yes: "goes on", no: "404" }[forgets] ?? forgets
  return `404; goes on with \`takeUpSessions\`${takesUp === "yes" ? "" : `: ${takesUp}`}`
}

function intro() {
  const date = new Date().toISOString().slice(0, 10)
  return `<!-- Written by \`pnpm rig clients\`: change apps/rigs/clients instead. -->

# Clients

See how your client behaves. Each client below lists the tools of one office, calls one, calls one that is unavailable, calls a
tool that does not exist, and is connected while another client changes the list, over HTTP and over stdio. If the two differ,
the table shows both. Wire traffic was recorded on ${date}, with Node ${process.versions.node}.
`
}

const NOTES = `
- *notified of changes*: the client receives \`notifications/tools/list_changed\`. *lists again by itself*: it then lists the tools
  again. Every client sees the new tool when its host lists the tools the next time.
- *unknown tool*: the error for the caller. Some clients reject tools that they have not listed without asking the server.
- *names and schemas*: the names and input schemas offered to the model, compared with those the server sent.
- *results*: results of every kind (nothing, \`null\`, booleans, numbers, strings, lists, objects, bytes, images, dates, maps,
  instances, errors, half a character, 10 MB, failures), with and without an output schema: each arrives as the same success or failure.
- *after a restart of the server*, over HTTP: *goes on*: the next call succeeds, because the client starts a new session after a
  404, or has no session. *404*: the call fails, and the host must connect again; with \`takeUpSessions\` of \`serveHttp\` most of
  these clients go on, too, except those that do not send their revision in a header.
- The AI SDK gives a server that it starts one second to answer \`server/discover\`, and uses 2025-11-25 if the server is slower.
- The OpenAI Agents SDK with \`cacheToolsList: true\`, which is not its default, does not see changes of the list.

\`pnpm rig clients\` installs the clients on first use, runs all of these steps and writes this page; it fails if a client does not
behave as expected. \`pnpm rig clients ai-sdk\` runs only the clients whose package name contains that word, and writes nothing.
`

function inBoth(cells) {
  const [first, ...rest] = cells
  if (rest.every(({ text }) => text === first.text)) return first.text
  return cells.map(({ leg, text }) => `${leg}: ${text}`).join("; ")
}

function toRow(cells) {
  return `| ${cells.join(" | ")} |`
}
