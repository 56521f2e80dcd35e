import { JSONEditor } from "@json-editor/json-editor"

/** A form generated from a schema. */
export interface SchemaForm {
  /** Returns the form's value. */
  value(): object
  /** Returns the value's violations of the schema. */
  faults(): readonly string[]
  /** Removes the form. */
  close(): void
}

/** Creates a form. Optional fields are left out until the person ticks them. */
export function createSchemaForm(element: HTMLElement, schema: object): SchemaForm {
  const editor = new JSONEditor(element, {
    schema: { ...schema, title: "Arguments" },
    theme: "html",
    ajax: false,
    show_opt_in: true,
    show_errors: "interaction",
    disable_collapse: true,
    disable_edit_json: false,
    disable_properties: true,
    disable_array_delete_all_rows: true,
    no_additional_properties: false,
    keep_oneof_values: false,
    form_name_root: "args",
  })
  return {
    value: () => Object(editor.getValue()),
    faults: () =>
      // Passes the value explicitly: otherwise the editor returns the faults of its last rendering.
      editor
        .validate(editor.getValue())
        .map(({ path, message }) => `${path.replace(/^args\.?/, "") || "arguments"}: ${message}`),
    close: () => editor.destroy(),
  }
}
