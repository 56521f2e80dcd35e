import { html, nothing, type TemplateResult } from "lit-html"
import { ref } from "lit-html/directives/ref.js"
import type { SchemaForm } from "../schema-form.js"
import type { Selected, TriedAnswer } from "../ui-state.js"
import type { ViewSite } from "./view-site.js"

type SelectedTool = Extract<Selected, { readonly kind: "tool" }>

/** Creates the form to try a call, its result, and the questions to a person. */
export function createTryView(site: ViewSite) {
  const forms = createForms(site)
  const { ui, actions, redraw } = site
  return {
    view(selected: SelectedTool): TemplateResult | typeof nothing {
      if (ui.player !== undefined) return nothing
      const { name, details, answer } = selected
      if (details === undefined) return nothing
      if (!selected.form)
        return html`<p><button class="hot" @click=${() => {
          selected.form = true
          redraw()
        }}>Try it …</button></p>`
      const submit = (event: Event): void => {
        event.preventDefault()
        const args = forms.value("args")
        if (args !== undefined) void actions.call(name, args)
      }
      return html`
        <form class="try" novalidate @submit=${submit} aria-label="Try ${name}">
          <div ${ref(forms.place("args", details.form))}></div>
          ${forms.faults("args")}
          <button class="hot" type="submit">Call ${name}</button>
        </form>
        ${answer === undefined ? nothing : answerView(site, { name, answer, forms })}`
    },
    close: (): void => forms.close(),
  }
}

function answerView(
  { actions }: ViewSite,
  { name, answer, forms }: { readonly name: string; readonly answer: TriedAnswer; readonly forms: Forms },
): TemplateResult {
  const { kind, ok, code, json, hidden, questions = {}, state = "" } = answer
  if (kind === "asked") {
    const reply = (accept: boolean) => (event: Event) => {
      event.preventDefault()
      const content = (key: string, schema: object) =>
        accept ? { action: "accept", content: toConsent(schema) ?? forms.value(key) ?? {} } : { action: "decline" }
      const responses = Object.fromEntries(
        Object.entries(questions).map(([key, { schema }]) => [key, content(key, schema)]),
      )
      void actions.call(name, forms.value("args") ?? {}, { state, responses })
    }
    return html`<form class="try asked" novalidate @submit=${reply(true)} aria-label="Question">
      ${Object.entries(questions).map(
        ([key, { message, schema }]) =>
          html`<p><b>${message}</b></p>${toConsent(schema) ? nothing : html`<div ${ref(forms.place(key, schema))}></div>`}`,
      )}
      <button class="hot" type="submit">Yes</button> <button type="button" @click=${reply(false)}>No</button>
    </form>`
  }
  if (kind !== "settled") return html`<p class="why" role="status">${answer.error ?? `Not called: ${kind}.`}</p>`
  return html`<div class="answer" role="status"><p><span class="sign" data-status=${ok ? "ok" : "failed"}>${ok ? "✓" : "✕"}</span> ${ok ? "Done" : code}</p>
    ${hidden ? html`<p class="hidden">The result is hidden.</p>` : json === undefined ? nothing : html`<pre class="value">${typeof json === "string" ? json : JSON.stringify(json, null, 2)}</pre>`}</div>`
}

/** Returns the content of a plain yes if a single boolean is asked. The buttons then replace the form. */
function toConsent(schema: object): object | undefined {
  const { properties }: { readonly properties?: unknown } = schema
  const [only, ...others] = Object.entries(Object(properties))
  if (only === undefined || others.length > 0) return undefined
  const [name, asked] = only
  return Object(asked).type === "boolean" ? { [name]: true } : undefined
}

type Forms = ReturnType<typeof createForms>

/** A rendered form. */
interface OpenForm {
  form: SchemaForm | undefined
  faults: readonly string[]
}

/** Manages open forms by their keys. Each is created once its element exists. */
function createForms({ redraw }: ViewSite) {
  const open = new Map<string, OpenForm>()
  const places = new Map<string, { readonly schema: object; readonly attach: (element: Element | undefined) => void }>()
  const show = (key: string, element: Element | undefined, schema: object): void => {
    open.get(key)?.form?.close()
    open.delete(key)
    if (!(element instanceof HTMLElement)) return
    const entry: OpenForm = { form: undefined, faults: [] }
    open.set(key, entry)
    // The form library is imported only if a form is opened.
    void import("../schema-form.js").then(({ createSchemaForm }) => {
      if (open.get(key) === entry) entry.form = createSchemaForm(element, schema)
    })
  }
  return {
    /** Returns the ref callback of a form. It stays the same for the same schema; a new one would reset the form. */
    place(key: string, schema: object): (element: Element | undefined) => void {
      const known = places.get(key)
      if (known?.schema === schema) return known.attach
      const attach = (element: Element | undefined): void => show(key, element, schema)
      places.set(key, { schema, attach })
      return attach
    },
    /** Returns the form's value, or `undefined` if it is invalid, which is shown. */
    value(key: string): object | undefined {
      const entry = open.get(key)
      if (entry?.form === undefined) return {}
      entry.faults = entry.form.faults()
      redraw()
      return entry.faults.length === 0 ? entry.form.value() : undefined
    },
    faults: (key: string) => {
      const faults = open.get(key)?.faults ?? []
      return faults.length === 0
        ? nothing
        : html`<ul class="why" role="alert">${faults.map((fault) => html`<li>${fault}</li>`)}</ul>`
    },
    close(): void {
      for (const { form } of open.values()) form?.close()
      open.clear()
    },
  }
}
