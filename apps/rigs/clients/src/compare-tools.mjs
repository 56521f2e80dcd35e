/** Says what a client made of the names and input schemas it was sent, in a sentence; undefined where nothing. */
export function compareTools(sent, offered) {
  const schemas = new Map(offered.map(({ name, inputSchema }) => [name, inputSchema]))
  const renamed = sent.filter(({ name }) => !schemas.has(name)).length
  const kept = sent.filter(({ name }) => schemas.has(name))
  const counts = new Map()
  for (const { name, inputSchema } of kept)
    for (const change of new Set(differences(inputSchema, schemas.get(name))))
      counts.set(change, (counts.get(change) ?? 0) + 1)
  const changes = [...counts].map(([change, count]) => `${change} in ${count} of ${sent.length}`)
  if (renamed > 0) changes.unshift(`renames or drops ${renamed} of ${sent.length}`)
  return changes.length === 0 ? undefined : changes.join("; ")
}

/** What is different, each as its path and what is there now, whatever the order of the keys. */
function differences(before, after, path = "") {
  if (before === after) return []
  if (!isObject(before) || !isObject(after))
    return [after === undefined ? `\`${path}\` is gone` : `\`${path}: ${JSON.stringify(after)}\``]
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].flatMap((key) => differences(before[key], after[key], path === "" ? key : `${path}.${key}`))
}

function isObject(value) {
  return typeof value === "object" && value !== null
}
