// A page's code for creating a service and connecting it. `sizes.mjs` bundles it to measure its size; it never runs.
export {
  action,
  content,
  createAgenticService,
  fail,
  link,
  links,
  state,
} from "../../packages/agentic-service/dist/bundle/index.js"
export { connectPage } from "../../packages/page-bridge/dist/index.js"
