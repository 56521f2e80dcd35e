// The package does not type the part that is used here.
declare module "@json-editor/json-editor" {
  export class JSONEditor {
    constructor(element: HTMLElement, options: Readonly<Record<string, unknown>>)
    getValue(): unknown
    validate(value: unknown): readonly { readonly path: string; readonly message: string }[]
    destroy(): void
  }
}
