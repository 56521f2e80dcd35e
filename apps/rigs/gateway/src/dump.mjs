import { hear } from "./hear.mjs"

/** Requests everything from a server through a client. Returns its results and errors as plain JSON. */
export async function dump(client, reached, { calls = [], uris = [], prompts = [], completions = [], scenes = {} }) {
  const has = client.getServerCapabilities() ?? {}
  const heard = hear(client)
  const all = {}
  const note = async (what, ask) => {
    all[what] = await ask().then(toPlain, toRefusal)
  }
  const lists = {}
  const list = async (what, ask, field) => {
    const found = await ask().then((result) => result[field], toRefusal)
    lists[what] = Array.isArray(found) ? found : []
    for (const item of lists[what]) all[`${what} ${item.name ?? item.uri}`] = toPlain(item)
  }
  await list("tool", () => client.listTools(), "tools")
  if (has.resources) await list("resource", () => client.listResources(), "resources")
  if (has.resources) await list("template", () => client.listResourceTemplates(), "resourceTemplates")
  if (has.prompts) await list("prompt", () => client.listPrompts(), "prompts")
  const listed = (lists.resource ?? []).map(({ uri }) => uri)
  for (const uri of [...listed, ...(has.resources ? uris : [])])
    await note(`read ${uri}`, () => client.readResource({ uri }))
  for (const [name, args] of prompts) {
    await note(`prompt ${name} ${JSON.stringify(args ?? null)}`, () =>
      client.getPrompt({ name, ...(args && { arguments: args }) }),
    )
  }
  for (const asked of completions) await note(`complete ${JSON.stringify(asked)}`, () => client.complete(asked))
  for (const [name, args] of calls) {
    heard.take(PROGRESS)
    const what = `call ${name} ${JSON.stringify(args)}`
    await note(what, () =>
      client.request({ method: "tools/call", params: { name, arguments: args } }, { onprogress: () => {} }),
    )
    all[what].progress = heard.take(PROGRESS).map(({ progressToken: _, ...told }) => told)
  }
  Object.assign(all, await playAll(scenes, { client, heard, reached }))
  return all
}

async function playAll(scenes, stage) {
  const all = {}
  for (const [name, play] of Object.entries(scenes)) {
    all[`scene ${name}`] = await play(stage).then(toPlain, toRefusal)
    stage.heard.take(PROGRESS)
  }
  return all
}

const PROGRESS = "notifications/progress"

function toPlain(result) {
  return JSON.parse(JSON.stringify(result))
}

function toRefusal(error) {
  return { refused: { code: error.code, message: String(error.message).replace(/^MCP error -?\d+: /, "") } }
}
