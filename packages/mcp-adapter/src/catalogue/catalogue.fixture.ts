import type { AgenticService } from "@x/agentic-service"
import { publish } from "@x/tool-schemas"
import { parseResourceUri, toResourceUri } from "../names/resource-uri.js"
import { createToolNamer } from "../names/tool-name.js"
import type { Diagnostic } from "../runtime/diagnostic.js"
import { createLedger, type Host, type Ledger } from "../runtime/host.js"
import { createManualClock, type ManualClock } from "../runtime/manual-clock.fixture.js"
import { createView, type OwnedView } from "../views/create-view.js"
import { type Catalogue, createCatalogue } from "./create-catalogue.js"
import type { Entry, Snapshot } from "./entry.js"
import { type CatalogueLimits, defaultCatalogueLimits } from "./listing.js"
import { createReservedNames, type ReservedNames } from "./naming.js"

/** A catalogue whose clock, ledger and diagnostics a test controls. */
export interface Rig {
  readonly catalogue: Catalogue
  readonly clock: ManualClock
  readonly ledger: Ledger
  readonly diagnostics: readonly Diagnostic[]
  readonly reserved: ReservedNames
  view(allow?: (entry: Entry) => boolean): OwnedView
}

/**
 * Creates a catalogue for tests.
 *
 * @param publishMs - Milliseconds that publishing one schema takes. Default 0.
 */
export function createRig(service: AgenticService, limits: Partial<CatalogueLimits> = {}, publishMs = 0): Rig {
  const clock = createManualClock()
  const ledger = createLedger()
  const diagnostics: Diagnostic[] = []
  const host: Host = { clock, ledger, report: (diagnostic) => diagnostics.push(diagnostic) }
  const reserved = createReservedNames()
  const catalogue = createCatalogue({
    service,
    toolName: createToolNamer(),
    reserved,
    publishInput(schema) {
      if (publishMs > 0) clock.advance(publishMs)
      return publish(schema)
    },
    stateUri: (path, key) => toResourceUri("test", path, key),
    parseStateUri: (uri) => parseResourceUri("test", uri),
    host,
    limits: { ...defaultCatalogueLimits, ...limits },
  })
  const view = (allow?: (entry: Entry) => boolean): OwnedView =>
    createView({ catalogue, host, notices: { windowMs: 50, flickerMs: 0 }, allow })
  return { catalogue, clock, ledger, diagnostics, reserved, view }
}

/** Returns the client-visible part of a snapshot as plain data. */
export function published({ tools, states, links }: Pick<Snapshot, "tools" | "states" | "links">): unknown {
  return {
    tools: tools.map(({ definition }) => definition),
    states: states.map(({ definition }) => definition),
    links: links.map(({ path, canonical, description }) => ({ path, canonical, description })),
  }
}

export function toolNames({ tools }: Pick<Snapshot, "tools">): string[] {
  return tools.map((tool) => tool.name)
}
