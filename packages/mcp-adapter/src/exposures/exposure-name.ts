/**
 * Which face an endpoint shows. `dynamic`: what can be called now; `stable`: everything that is known, always, and what
 * cannot be called now says why when it is called; `meta`: a few fixed tools that find actions and run them.
 */
export type ExposureName = "dynamic" | "stable" | "meta"

/** Every exposure there is. */
export const exposureNames: readonly ExposureName[] = ["dynamic", "stable", "meta"]
