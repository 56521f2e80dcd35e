import { action, createAgenticService, link } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"

/** Creates a root with links to `services` services of ten actions each. The first service's first action can be toggled. */
export function createGraph(services) {
  const on = new BehaviorSubject(true)
  const leaf = (index) =>
    createAgenticService({
      name: `s${index}`,
      actions: Object.fromEntries(
        Array.from({ length: 10 }, (_, key) => [
          `a${key}`,
          action({
            description: `Action ${key} of service ${index}`,
            input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
            ...(index === 0 && key === 0 && { when: on }),
            execute: () => undefined,
          }),
        ]),
      ),
    })
  const links = Object.fromEntries(
    Array.from({ length: services }, (_, index) => [`s${index}`, link({ service: leaf(index) })]),
  )
  return { root: createAgenticService({ name: "root", links }), on }
}
