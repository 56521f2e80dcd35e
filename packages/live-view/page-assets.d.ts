/** The files of the page by name, created by the build. */
export declare const assets: Readonly<Record<string, { readonly type: string; readonly text: string }>>
