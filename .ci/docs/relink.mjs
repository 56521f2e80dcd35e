/** Changes where links outside of code lead, but for those to other sites and within the page; one without a target leaves its words. */
export function relink(text, toLink) {
  return text
    .split(/(^```[\s\S]*?^```|`[^`\n]+`(?!\]))/m)
    .map((part, index) => (index % 2 === 1 ? part : relinkProse(part, toLink)))
    .join("")
}

function relinkProse(text, toLink) {
  return text.replace(/\[((?:[^\][]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (whole, words, link) => {
    if (/^(\w+:|#)/.test(link)) return whole
    const changed = toLink(link)
    return changed === undefined ? words : `[${words}](${changed})`
  })
}
