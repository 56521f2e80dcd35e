/** A block of code, a link, or code within a line: whichever begins first. */
const PARTS = /^```[\s\S]*?^```|\[((?:[^\][]|\[[^\]]*\])*)\]\(([^()\s]+)\)|`[^`\n]+`/gm

/** Changes where links outside of code lead, but for those to other sites and within the page; one without a target leaves its words. */
export function relink(text, toLink) {
  return text.replace(PARTS, (whole, words, link) => {
    if (link === undefined || /^(\w+:|#)/.test(link)) return whole
    const changed = toLink(link)
    return changed === undefined ? words : `[${words}](${changed})`
  })
}
