/** Describes how a client changed the names and input schemas it received. Returns `undefined` if it kept them. */
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

/** Lists the differences, each as a path with the new value. The order of keys is ignored. */
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
