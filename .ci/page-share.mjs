// What a page loads that has a service and connects it; bundled by `sizes.mjs`, never run.
export {
  action,
  content,
  createAgenticService,
  fail,
  link,
  links,
  state,
} from "../packages/agentic-service/dist/bundle/index.js"
export { connectPage } from "../packages/page-bridge/dist/index.js"
