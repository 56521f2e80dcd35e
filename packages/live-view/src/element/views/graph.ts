import { cutText } from "@x/base"
import { type HierarchyPointNode, hierarchy, tree } from "d3-hierarchy"
import { html, nothing, svg, type TemplateResult } from "lit-html"
import type { LinkRow } from "../../frames/frame.js"
import type { Picture, Shown } from "../../frames/picture.js"
import { flashOf, type ViewSite } from "./view-site.js"

/** The most services drawn. More would be unreadable. */
const MOST = 120
const NODE = { width: 148, height: 40, gapX: 56, gapY: 14 }

interface Node {
  readonly key: string
  readonly label: string
  readonly service: string
  readonly link: Shown<LinkRow> | undefined
  readonly children: Node[]
}

/** Renders services and links as a graph from left to right. Further links to the same service are dashed. */
export function graphView(site: ViewSite): TemplateResult {
  const { picture } = site.ui
  if (picture === undefined) return html``
  const { root, aliases, more } = toTree(picture)
  const layout = tree<Node>().nodeSize([NODE.height + NODE.gapY, NODE.width + NODE.gapX])(hierarchy(root))
  const nodes = layout.descendants()
  const top = Math.min(...nodes.map(({ x }) => x))
  const bottom = Math.max(...nodes.map(({ x }) => x))
  const deepest = Math.max(...nodes.map(({ y }) => y))
  const at = new Map(nodes.map((node) => [node.data.key, node]))
  const width = deepest + NODE.width + 32
  const height = bottom - top + NODE.height + 32
  return html`
    ${nodes.length === 1 ? html`<p class="hint">This service has no links.</p>` : nothing}
    ${more > 0 ? html`<p class="hint">${more} more services are not shown.</p>` : nothing}
    <div class="scroll graph" tabindex="0" role="group" aria-label="Services and their links">
      <svg width=${width} height=${height} viewBox="-16 ${top - NODE.height / 2 - 16} ${width} ${height}">
        ${layout.links().map(({ source, target }) => edge(source, target, "edge"))}
        ${aliases.map(({ from, to }) => {
          const [source, target] = [at.get(from), at.get(to)]
          return source && target ? edge(source, target, "edge alias") : nothing
        })}
        ${nodes.map((node) => nodeView(site, node, picture))}
      </svg>
    </div>`
}

function toTree(picture: Picture) {
  const root: Node = { key: "", label: picture.start.name, service: "", link: undefined, children: [] }
  const byKey = new Map([["", root]])
  const aliases: { readonly from: string; readonly to: string }[] = []
  let more = 0
  for (const link of [...picture.links.values()].sort((one, other) => one.path.length - other.path.length)) {
    const from = link.path.slice(0, -1).join("/")
    const key = link.canonical.join("/")
    if (key !== link.path.join("/")) aliases.push({ from, to: key })
    else if (byKey.size >= MOST) more += 1
    else {
      const node: Node = { key, label: link.path.at(-1) ?? "", service: link.service, link, children: [] }
      // Looks up the parent before adding the node: a link to itself would form a cycle.
      const parent = byKey.get(from) ?? root
      byKey.set(key, node)
      parent.children.push(node)
    }
  }
  return { root, aliases, more }
}

type Point = HierarchyPointNode<Node>

function edge(source: Point, target: Point, kind: string): TemplateResult {
  const [fromX, fromY, toX, toY] = [source.y + NODE.width, source.x, target.y, target.x]
  const bend = NODE.gapX / 2
  return svg`<path class=${kind} d="M${fromX},${fromY} C${fromX + bend},${fromY} ${toX - bend},${toY} ${toX},${toY}" />`
}

function nodeView({ ui, actions }: ViewSite, { x, y, data }: Point, picture: Picture): TemplateResult {
  const { available, states } = countsOf(picture, data.key)
  const show = (): void => actions.set({ left: "tools", search: data.key.replaceAll("/", "__") })
  return svg`<g class="node" data-flash=${flashOf(data.link?.last, ui)} transform="translate(${y},${x - NODE.height / 2})" role="button" tabindex="0"
    aria-label="${data.label}: ${available} tools, ${states} states. Show its tools." @click=${show}
    @keydown=${(event: KeyboardEvent) => event.key === "Enter" && show()}>
    <rect width=${NODE.width} height=${NODE.height} rx="8"></rect>
    <text x="12" y="17" class="label">${cut(data.label, 18)}</text>
    <text x="12" y="32" class="sub">${cut(`${data.service && data.service !== data.label ? `${data.service} · ` : ""}${available} tools · ${states} states`, 25)}</text>
  </g>`
}

function countsOf({ tools, states }: Picture, key: string) {
  let available = 0
  let held = 0
  for (const tool of tools.values()) if (tool.available && tool.path.join("/") === key) available += 1
  for (const state of states.values()) if (state.path.join("/") === key) held += 1
  return { available, states: held }
}

function cut(text: string, length: number): string {
  return cutText(text, length)
}
