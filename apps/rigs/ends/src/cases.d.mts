/** How a thing is opened; `silent` stands it on what is never ready. */
export type Open = (options?: { readonly silent?: boolean }) => Promise<{
  readonly it: { close(): unknown }
  /** Ends of what it stands on. */
  readonly under?: readonly (() => unknown)[]
  /** Holds on to it, as a client or a page does; returns how to let go. */
  readonly use?: (it: never) => Promise<(() => unknown) | undefined>
}>

/** Every public function whose result has a `close`, by entry and name. */
export const cases: Readonly<Record<string, { readonly open: Open }>>
