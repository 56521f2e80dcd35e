/** Opens the result of a public function. With `silent`, its dependencies never become ready. */
export type Open = (options?: { readonly silent?: boolean }) => Promise<{
  readonly it: { close(): unknown }
  /** Functions that close its dependencies. */
  readonly under?: readonly (() => unknown)[]
  /** Uses it like a client or a page. Returns a function that ends the use. */
  readonly use?: (it: never) => Promise<(() => unknown) | undefined>
}>

/** The public functions whose result has a `close`, by entry and name. */
export const cases: Readonly<Record<string, { readonly open: Open }>>
