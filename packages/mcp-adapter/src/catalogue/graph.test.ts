import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { comparePaths } from "../names/path.js"
import { createGraph, type Graph, type GraphChange, type Place } from "./graph.js"

type Links = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Computes the canonical paths by definition: breadth first from the root, keys in order. */
function canonicalPaths(links: Links, maxDepth: number): Record<string, string> {
  const found: Record<string, string> = { root: "" }
  let level: (readonly [string, readonly string[]])[] = [["root", []]]
  for (let depth = 1; depth <= maxDepth && level.length > 0; depth += 1) {
    const next = level.flatMap(([name, path]) =>
      Object.entries(links[name] ?? {}).map(([key, to]) => [to, [...path, key]] as const),
    )
    next.sort((a, b) => comparePaths(a[1], b[1]))
    level = next.filter(([name, path]) => {
      if (name in found) return false
      found[name] = path.join("/")
      return true
    })
  }
  return found
}

/** Replaces all links of a place. */
function setAll(
  graph: Graph<string>,
  place: Place<string>,
  links: Readonly<Record<string, string>>,
): GraphChange<string> {
  const keys = new Set([...place.links.keys(), ...Object.keys(links)])
  return graph.setLinks(place, new Map([...keys].map((key) => [key, links[key]])))
}

const name = fc.constantFrom("root", "a", "b", "c", "d", "e", "f")
const linkMap = fc.dictionary(fc.constantFrom("k", "l", "m"), name, { maxKeys: 3 })

describe("createGraph", () => {
  it("gives every reachable service its canonical path after any history", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, linkMap), { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (steps, maxDepth) => {
          const graph = createGraph("root", maxDepth)
          const wanted: Record<string, Readonly<Record<string, string>>> = {}
          const apply = (service: string): void => {
            const place = [...graph.places()].find((candidate) => candidate.service === service)
            if (place === undefined) return
            const change = setAll(graph, place, wanted[service] ?? {})
            for (const joined of change.joined) apply(joined.service)
          }
          for (const [service, links] of steps) {
            wanted[service] = links
            apply(service)
          }

          const actual = Object.fromEntries([...graph.places()].map((place) => [place.service, place.path.join("/")]))

          expect(actual).toEqual(canonicalPaths(wanted, maxDepth))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it("reports exactly the services that joined, left and moved", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, linkMap), { maxLength: 40 }), (steps) => {
        const graph = createGraph("root", 4)
        const paths = (): Map<string, string> =>
          new Map([...graph.places()].map((place) => [place.service, place.path.join("/")]))
        for (const [service, links] of steps) {
          const place = [...graph.places()].find((candidate) => candidate.service === service)
          if (place === undefined) continue
          const before = paths()

          const change = setAll(graph, place, links)

          const after = paths()
          const names = (places: readonly { service: string }[]): string[] => places.map((p) => p.service).sort()
          expect(names(change.joined)).toEqual([...after.keys()].filter((key) => !before.has(key)).sort())
          expect(names(change.left)).toEqual([...before.keys()].filter((key) => !after.has(key)).sort())
          const stayed = [...after].filter(([key, path]) => before.has(key) && before.get(key) !== path)
          expect(names(change.moved)).toEqual(stayed.map(([key]) => key).sort())
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it("reports links beyond the depth limit", () => {
    const graph = createGraph("root", 1)
    const a = graph.setLinks(graph.root, new Map([["a", "a"]])).joined[0]

    const change = a && graph.setLinks(a, new Map([["b", "b"]]))

    expect(change?.tooDeep).toEqual([["a", "b"]])
  })

  it("finds a place through an alias", () => {
    const graph = createGraph("root", 4)
    graph.setLinks(
      graph.root,
      new Map([
        ["a", "x"],
        ["b", "x"],
      ]),
    )

    expect(graph.at(["b"])?.path).toEqual(["a"])
  })
})
