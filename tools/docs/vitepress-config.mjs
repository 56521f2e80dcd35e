/** Returns VitePress's configuration for the given pages, as the text of a module. */
export function vitepressConfig(pages, { base, repository }) {
  const config = {
    title: "Agentic services",
    description: "Let any LLM use your running application, live",
    base,
    cleanUrls: true,
    // The sources are staged copies; the page itself links to its original.
    lastUpdated: false,
    // Links are checked after the build, anchors included.
    ignoreDeadLinks: true,
    themeConfig: {
      outline: [2, 3],
      nav: [
        { text: "Quickstart", link: "/quickstart" },
        { text: "Troubleshooting", link: "/troubleshooting" },
        { text: "Packages", link: "/packages/" },
        { text: "API", link: "/api/" },
      ],
      sidebar: sidebarOf(pages),
      ...(repository && { socialLinks: [{ icon: "github", link: repository }] }),
    },
  }
  // The search has functions, which JSON cannot carry.
  return `const config = ${JSON.stringify(config, undefined, 2)}
config.themeConfig.search = { provider: "local", options: { miniSearch: { searchOptions: ${SEARCH} } } }
export default config
`
}

/**
 * Words that say nothing are not searched for, a guide ranks before the page of an API, and headings before texts. A word may
 * be a typing mistake only if it is long: fuzzy matches of short words are other words.
 */
const SEARCH = `{
  boost: { title: 6, titles: 2, text: 1 },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 5 ? 0.2 : false),
  processTerm(term) {
    const word = term.toLowerCase()
    const silent = ["a", "an", "and", "are", "as", "at", "can", "do", "does", "for", "from", "how", "i", "in", "is", "it", "its", "my", "of", "on", "or", "the", "that", "there", "this", "to", "what", "when", "where", "why", "with", "you", "your"]
    return silent.includes(word) ? undefined : word
  },
  boostDocument: (id) => (id.includes("/api/") ? 0.01 : id.includes("/packages/") ? 0.6 : 1),
}`

/** Returns the groups of the first page, then the packages and the API. */
function sidebarOf(pages) {
  const titles = new Map(pages.map(({ page, title }) => [linkOf(page), title]))
  const [, ...sections] = pages.find(({ page }) => page === "index.md").text.split(/^## /m)
  const groups = sections.map((section) => ({
    text: section.split("\n")[0],
    items: [...section.matchAll(/\]\((\/[\w/-]+)\)/g)].map(([, link]) => ({ text: titles.get(link), link })),
    collapsed: false,
  }))
  const below = (folder) =>
    pages.filter(({ page }) => page.startsWith(folder)).map(({ page, title }) => ({ text: title, link: linkOf(page) }))
  return [
    ...groups,
    { text: "Packages", items: below("packages/"), collapsed: true },
    { text: "API", items: below("api/"), collapsed: true },
  ]
}

function linkOf(page) {
  return `/${page.replace(/(index)?\.md$/, "")}`
}
