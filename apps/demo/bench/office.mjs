// An office of twenty projects with two hundred actions at first, and a model's task in it.
import { action, createAgenticService, links, state } from "@x/agentic-service"
import { BehaviorSubject, map } from "rxjs"

const text = (name) => ({
  type: "object",
  properties: { [name]: { type: "string", minLength: 1, maxLength: 200, description: `The ${name}` } },
  required: [name],
  additionalProperties: false,
})

/** The permanent actions of a project, with their inputs. */
const ALWAYS = {
  add_task: ["Add a task at the end of the project's list", "title"],
  rename: ["Give the project another name", "name"],
  assign: ["Say who is responsible for the project", "person"],
  set_due: ["Say when the project has to be done", "date"],
  comment: ["Leave a comment for everybody who works on the project", "comment"],
  tag: ["Put a tag on the project, by which it is found", "tag"],
  note: ["Write a note to yourself about the project", "note"],
  set_budget: ["Say what the project may cost", "budget"],
  link_issue: ["Link an issue to the project", "issue"],
}

/** Creates an office's service and the sources of its projects, new each time. */
export function createOffice() {
  const projects = Array.from({ length: 20 }, (_, index) => createProject(`p${index + 1}`))
  const service = createAgenticService({
    name: "office",
    description: "An office with projects",
    links: {
      projects: links({
        description: "One per project",
        of: projects,
        key: ({ id }) => id,
        service: ({ service }) => service,
      }),
    },
  })
  return { service, projects }
}

function createProject(id) {
  const project$ = new BehaviorSubject({ status: "planned", changes: 0 })
  const change = (more) => {
    const changes = project$.value.changes + 1
    project$.next({ ...project$.value, ...more, changes })
    return { changes }
  }
  const done = { type: "object", properties: { changes: { type: "integer" } }, required: ["changes"] }
  const always = Object.entries(ALWAYS).map(([key, [description, name]]) => [
    key,
    action({ description, input: text(name), output: done, execute: (given) => change(given) }),
  ])
  const step = (description, from, status) =>
    action({
      description,
      when: { is: project$.pipe(map((project) => project.status === from)), otherwise: `the project is not ${from}` },
      output: done,
      execute: () => change({ status }),
    })
  const service = createAgenticService({
    name: "project",
    description: "A project",
    states: {
      project: state({ description: "The project as it stands", schema: { type: "object" }, value: project$ }),
    },
    actions: {
      ...Object.fromEntries(always),
      start: step("Begin work on the project", "planned", "started"),
      finish: step("Say that the project's work is done", "started", "finished"),
      archive: step("Put the finished project away", "finished", "archived"),
    },
  })
  return { id, service }
}

/** Twelve steps in two projects. Some actions exist only after an earlier step. */
export const OFFICE_TASK = [
  ["projects__p7__add_task", { title: "Order the plants" }, "add task project p7"],
  ["projects__p7__rename", { name: "Garden" }, "rename project p7"],
  ["projects__p7__assign", { person: "Ada" }, "assign project p7 person"],
  ["projects__p7__start", {}, "begin work project p7"],
  ["projects__p7__finish", {}, "project p7 work is done"],
  ["projects__p7__archive", {}, "archive project p7"],
  ["projects__p12__comment", { comment: "Waits for the garden" }, "comment project p12"],
  ["projects__p12__tag", { tag: "outside" }, "tag project p12"],
  ["projects__p12__start", {}, "begin work project p12"],
  ["projects__p12__set_due", { date: "2027-03-01" }, "due project p12"],
  ["projects__p12__finish", {}, "project p12 work is done"],
  ["projects__p12__note", { note: "Tell Ada" }, "note project p12"],
]
