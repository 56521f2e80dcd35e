export { bun, workerd } from "./brought.js"
export { recentNode } from "./recent-node.js"
