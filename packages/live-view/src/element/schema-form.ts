import { JSONEditor } from "@json-editor/json-editor"

/** A form made from a schema. */
export interface SchemaForm {
  /** What is in it. */
  value(): object
  /** What of it is not as the schema says, in words. */
  faults(): readonly string[]
  /** Takes it away. */
  close(): void
}

/** Makes a form; what may be left out is left out until a person ticks it. */
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
      // With the value: without one it tells what it found when it last drew.
      editor
        .validate(editor.getValue())
        .map(({ path, message }) => `${path.replace(/^args\.?/, "") || "arguments"}: ${message}`),
    close: () => editor.destroy(),
  }
}
