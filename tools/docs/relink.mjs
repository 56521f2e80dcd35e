/** Matches a code block, a link or inline code, whichever begins first. */
const PARTS = /^```[\s\S]*?^```|\[((?:[^\][]|\[[^\]]*\])*)\]\(([^()\s]+)\)|`[^`\n]+`/gm

/**
 * Rewrites links outside of code, except links to other sites and within the page. A link without a target is replaced by its
 * text.
 */
export function relink(text, toLink) {
  return text.replace(PARTS, (whole, words, link) => {
    if (link === undefined || /^(\w+:|#)/.test(link)) return whole
    const changed = toLink(link)
    return changed === undefined ? words : `[${words}](${changed})`
  })
}
