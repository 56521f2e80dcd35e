// The script of a page: both names are the browser's, which this project's types do not have.
const page = globalThis as unknown as { document: { title: string }; given: string }
page.document.title = page.given
