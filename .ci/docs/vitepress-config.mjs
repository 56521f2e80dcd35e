/** VitePress's configuration, as the text of a module: `pages` are those of the site. */
export function vitepressConfig(pages, { base, repository }) {
  const config = {
    title: "Agentic services",
    description: "Bring what an application shows, does and links to, live, to any LLM",
    base,
    cleanUrls: true,
    // The sources are staged; what they were is said on the page.
    lastUpdated: false,
    // Links are followed in what was built, to the place in the page.
    ignoreDeadLinks: true,
    themeConfig: {
      search: { provider: "local" },
      outline: [2, 3],
      nav: [
        { text: "Guides", link: "/guides/serve-it" },
        { text: "Packages", link: "/packages/agentic-service" },
        { text: "API", link: "/api/" },
      ],
      sidebar: sidebarOf(pages),
      ...(repository && { socialLinks: [{ icon: "github", link: repository }] }),
    },
  }
  return `export default ${JSON.stringify(config, undefined, 2)}\n`
}

/** The guides in the order in which the first page names them, then the rest. */
function sidebarOf(pages) {
  const order = [...(pages.find(({ page }) => page === "index.md")?.text.matchAll(/\]\((\/[\w/-]+)\)/g) ?? [])].map(
    ([, link]) => link,
  )
  const rank = (link) => (order.includes(link) ? order.indexOf(link) : order.length)
  const below = (folder) =>
    pages
      .filter(({ page }) => page.startsWith(folder))
      .map(({ page, title }) => ({ text: title, link: `/${page.replace(/(index)?\.md$/, "")}` }))
      .sort((a, b) => rank(a.link) - rank(b.link))
  const group = (text, items, collapsed) => ({ text, items, collapsed })
  const project = ["clients", "contributing", "security", "seeds"]
    .flatMap((name) => pages.filter(({ page }) => page === `${name}.md`))
    .map(({ page, title }) => ({ text: title, link: `/${page.replace(/\.md$/, "")}` }))
  return [
    group("Begin", [{ text: "What it is", link: "/" }], false),
    group("Guides", below("guides/"), false),
    group("Recipes", below("recipes/"), false),
    group("Packages", below("packages/"), false),
    group("API", below("api/"), true),
    group("Project", project, true),
  ].filter(({ items }) => items.length > 0)
}
