import { RESULTS } from "./app.mjs"

/** Judges a run. Returns lines of findings, and faults: results that the model read differently from what the app returned. */
export function judge(seen) {
  const { client, revision, listens, listsAgain } = readWire(seen.wire)
  const { offered, results, bloomAfter, bloom, labelledBy, label, erase, erased } = seen
  if (offered === undefined) return { lines: [], faults: ["its model was not offered our tools"] }
  const ours = offered.filter(({ name }) => /(?:give|grow|erase|run_action|get_state)$/.test(name))
  const lines = [
    `introduces itself as "${client?.name}" ${client?.version}, speaks ${revision}, ${listens ? "listens" : "does not listen"}, ${listsAgain ? "lists again" : "does not list again"}`,
    `names: ${ours.map(({ name, namespace }) => [namespace, name].filter(Boolean).join(" ")).join(", ")}`,
    `schema of give: ${JSON.stringify(ours.find(({ name }) => name.endsWith("give"))?.schema)}`,
    bloomAfter === undefined
      ? "its model never saw the new tool"
      : `its model saw the new tool ${bloomAfter === 0 ? "with the result" : `${bloomAfter} requests after the result`} of the call that made it appear`,
    `the new tool, called by its name or by run_action: ${show(bloom)}`,
    `the red shelf, labelled by ${labelledBy}: ${show(label)}`,
    `erase, which asks a person: ran ${erased} times; the model read ${show(erase)}`,
  ]
  const faults = Object.entries(RESULTS).flatMap(([kind, expected]) => judgeResult(kind, expected, results[kind]))
  if (!bloom?.text.includes("5")) faults.push(`the new tool could not be called: ${show(bloom)}`)
  if (!label?.text.includes("red: sold")) faults.push(`the action of an item could not be called: ${show(label)}`)
  if (/run_action$/.test(labelledBy)) faults.push("its model was not offered the action of an item as a tool")
  if (erased > 0) faults.push(`"erase" ran though no person was asked`)
  return { lines, faults }
}

function judgeResult(kind, { holds = "", fails = false }, result) {
  if (result === undefined) return [`${kind}: the model read nothing`]
  const { text, isError } = result
  const soundsWrong = /tool reported error|expected record|MCP error|invalid.{0,20}result|schema validation/i.test(text)
  if (!text.includes(holds)) return [`${kind}: expected "${holds}" in ${show(result)}`]
  if (text.trim() === "") return [`${kind}: the model read an empty text`]
  if (!fails && (isError === true || soundsWrong)) return [`${kind}: a success was reported as ${show(result)}`]
  // `isError` is undefined if the model's API has no field for errors. Then only the text is checked.
  if (fails && isError === false) return [`${kind}: a failure was reported as ${show(result)}`]
  return []
}

function readWire(entries) {
  const asked = entries.flatMap(({ from, message }) => (from === "client" && message ? [message] : []))
  const meta = asked.findLast(({ params }) => params?._meta?.["io.modelcontextprotocol/protocolVersion"])?.params._meta
  const initialize = asked.findLast(({ method }) => method === "initialize")?.params
  const agreed = entries.findLast(({ message }) => message?.result?.protocolVersion)?.message.result.protocolVersion
  const changed = entries.findIndex(({ message }) => message?.method === "notifications/tools/list_changed")
  const later = changed < 0 ? [] : entries.slice(changed)
  return {
    client: meta?.["io.modelcontextprotocol/clientInfo"] ?? initialize?.clientInfo,
    revision: meta?.["io.modelcontextprotocol/protocolVersion"] ?? agreed,
    listsAgain: later.some(({ from, message }) => from === "client" && message?.method === "tools/list"),
    listens: entries.some(({ opened }) => opened) || asked.some(({ method }) => method === "subscriptions/listen"),
  }
}

function show(result) {
  if (result === undefined) return "nothing"
  const { text, isError } = result
  const short = text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text
  return `${isError ? "an error, " : ""}${JSON.stringify(short)}`
}
