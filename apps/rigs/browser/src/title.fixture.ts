// The script of a page. The types of this project lack both of the browser's names.
const page = globalThis as unknown as { document: { title: string }; given: string }
page.document.title = page.given
