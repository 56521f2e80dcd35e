import type { Requirement } from "./requirement.js"

/** The extension `io.modelcontextprotocol/tasks`, whose clauses are those of its proposal. */
export const tasks: readonly Requirement[] = Object.entries({
  "tasks-announced": "A server with tasks MUST announce the extension, and no capability named tasks.",
  "tasks-undeclared": "A client that does not declare the extension MUST NOT get a task.",
  "tasks-methods-undeclared": "Its requests about tasks MUST be refused with -32021, which names the extension.",
  "tasks-created": "A created task MUST be flat, with id, status, times and time to live in milliseconds.",
  "tasks-durable": "A task MUST exist before the answer that names it is sent.",
  "tasks-get": "A task in full MUST have its open questions, its result or its error, by its status.",
  "tasks-failed": "A result with isError MUST complete a task; only an error of the protocol fails it.",
  "tasks-ack": "Updates and cancellations MUST be acknowledged without the task.",
  "tasks-unknown": "An unknown task MUST be refused with -32602.",
  "tasks-keys": "The keys of a task's questions MUST be unique during its life.",
  "tasks-partial": "A task MUST ask for input until every open question is answered.",
  "tasks-questions-first": "Questions before the work SHOULD be put before the task is created.",
  "tasks-notify": "Tasks MUST be told of only on listen streams that name them, each in full.",
  "tasks-notify-undeclared":
    "A listen request that names tasks without declaring the extension MUST be refused with -32021.",
  "tasks-name": "A request about a task MUST repeat its id in Mcp-Name.",
  "tasks-ids": "Ids MUST be unguessable, and each request MUST be authorised.",
  "tasks-askable": "A task MUST NOT ask for what its client did not declare.",
  "tasks-legacy-param": "The parameter task of former revisions MUST be ignored.",
  "tasks-removed": "The methods tasks/list and tasks/result MUST be refused with -32601.",
}).map(([id, says]) => ({ id, clause: "/seps/2663-tasks-extension", says }))
