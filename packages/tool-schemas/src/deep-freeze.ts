/** Freezes a tree of our own, and returns it. */
export function deepFreeze<Tree>(tree: Tree): Tree {
  if (typeof tree !== "object" || tree === null || Object.isFrozen(tree)) return tree
  Object.freeze(tree)
  for (const value of Object.values(tree)) if (typeof value === "object") deepFreeze(value)
  return tree
}
