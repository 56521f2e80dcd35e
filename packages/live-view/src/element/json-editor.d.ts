// The package has no types of its own for what is used of it here.
declare module "@json-editor/json-editor" {
  export class JSONEditor {
    constructor(element: HTMLElement, options: Readonly<Record<string, unknown>>)
    getValue(): unknown
    validate(value: unknown): readonly { readonly path: string; readonly message: string }[]
    destroy(): void
  }
}
