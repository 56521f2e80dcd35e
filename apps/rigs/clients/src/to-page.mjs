import { releaseOf } from "./clients.mjs"

/** The page of the docs about a run: `seen` holds, by client and leg, what `play` resolved to. */
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
  "hears of a change",
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
  return `<!-- Written by \`pnpm clients\`: change apps/rigs/clients instead. -->

# Clients

Every client below lists the tools of one office, calls one, is refused a call with the reason in the result, calls a tool
that does not exist, and has the list changed by somebody else; over HTTP and over stdio. Where the two differ, both are
given. What is in the table was seen on the wire on ${date}, with Node ${process.versions.node}.
`
}

const NOTES = `
- *hears of a change*: it listens for \`notifications/tools/list_changed\`, and gets it. *lists again by itself*: because of
  that. Every client sees the new tool the next time that its host has it list the tools.
- *unknown tool*: what the caller is told. Some clients do not ask the server for what they have not listed.
- *names and schemas*: what a model is offered, compared with the names and input schemas that were sent.
- *results*: of every kind (nothing, \`null\`, truth, numbers, texts, lists, objects, bytes, pictures, dates, maps, instances,
  errors, half a character, 10 MB, failures), with an output schema and without: each comes out as the success or failure it was.
- *after a restart of the server*, over HTTP: *goes on*: its next call is answered as if nothing had been, because it comes again on
  the 404 that its session gets, or has none. *404*: its call fails, and its host has to connect again; with
  \`takeUpSessions\` of \`serveHttp\` most of those go on too. One that does not say its revision in a header cannot be taken up.
- The AI SDK gives a server that it starts one second to answer \`server/discover\`, and speaks 2025-11-25 to a slower one.
- The OpenAI Agents SDK with \`cacheToolsList: true\`, which is not its default, does not see what has changed.

\`pnpm clients\` installs the clients when first run, plays all of this and writes this page; it fails when one of them does
not do what is expected of it. \`pnpm clients ai-sdk\` plays those whose package is called like that, and writes nothing.
`

function inBoth(cells) {
  const [first, ...rest] = cells
  if (rest.every(({ text }) => text === first.text)) return first.text
  return cells.map(({ leg, text }) => `${leg}: ${text}`).join("; ")
}

function toRow(cells) {
  return `| ${cells.join(" | ")} |`
}
