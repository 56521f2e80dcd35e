import type { AgenticService, Principal } from "@x/agentic-service"
import { newThing } from "@x/agentic-service/adapter"
import type { OptionRule } from "@x/tool-schemas/json"
import { type Catalogue, createCatalogue } from "../catalogue/create-catalogue.js"
import { type Diff, toDiff } from "../catalogue/diff.js"
import type { Entry } from "../catalogue/entry.js"
import type { CatalogueLimits } from "../catalogue/listing.js"
import type { ReservedNames } from "../catalogue/naming.js"
import type { PublishInput } from "../catalogue/publish-tool.js"
import type { Path } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import { type Host, subscribeIn } from "../runtime/host.js"
import { createView, type OwnedView } from "./create-view.js"
import { createLeases } from "./leases.js"
import type { NoticeOptions } from "./notices.js"
import { principalKey } from "./principal-key.js"
import { createToldValues, type ToldValues } from "./told-values.js"
import type { View } from "./view.js"

/** The views of an adapter: one for everybody, or one for each class of callers. */
export interface Views {
  /** Whether everybody has the same view. */
  readonly shared: boolean
  /** Takes a lease on a principal's view, which is made when nobody has it. */
  open(principal: Principal | undefined): ViewLease
  /** Notes all values as known to who listens to changes, so that the next other one is told and no more. */
  noteValues(): void
  /** Closes every view and catalogue; idempotent. */
  close(): void
}

/** The use of a view, for one connection, request or call. */
export interface ViewLease {
  /** The view. The same object for every lease of the same class of callers. */
  readonly view: View
  /** Gives it back; idempotent. */
  release(): void
}

/** What views are made from. */
export interface ViewsOptions {
  /** The service everybody gets, or the one a principal gets. */
  readonly source: AgenticService | ((principal: Principal | undefined) => AgenticService)
  /** Hides entries from a principal. */
  readonly allow?: (principal: Principal | undefined, entry: Entry) => boolean
  /** Makes the tool names. */
  readonly toolName: ToolNamer
  /** The names of the adapter's own tools, which no action is listed under. */
  readonly reserved: ReservedNames
  /** Publishes the input schemas. */
  readonly publishInput: PublishInput
  /** Makes the resource URIs. */
  readonly stateUri: (path: Path, key: string) => string
  /** How much a catalogue takes in. */
  readonly limits: CatalogueLimits
  /** When clients are told of changes. */
  readonly notices: NoticeOptions
  /** How many principals' views are kept, and for how long after the last use. */
  readonly principals: PrincipalLimits
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** Told what each task changed. */
  readonly onChange: (change: Change) => void
}

/** What one task changed. */
interface Change {
  /** What differs from the change before; worked out when it is first read. */
  readonly diff: Diff
  /** The revision after it. */
  readonly revision: number
  /** The identity of the view that it is of; absent where several views show parts of the same service. */
  readonly view?: string
  /** Whose it is, where each principal has a service of its own. */
  readonly principal?: Principal
}

/** Whose catalogue it is. */
type Owner = Pick<Change, "view" | "principal">

/** How many principals' views are kept, and for how long. */
export interface PrincipalLimits {
  /** The most views at once; the least recently used idle one goes first. Default 1,000. */
  readonly max: number
  /** How long a view nobody uses is kept, in milliseconds. Default 300,000. */
  readonly idleMs: number
}

/** What each limit of principals may be. */
export const principalLimitRules: Record<keyof PrincipalLimits, OptionRule> = {
  max: { from: 1, whole: true },
  idleMs: { from: 0 },
}

/** The limits used where none are given. */
export const defaultPrincipalLimits: PrincipalLimits = { max: 1_000, idleMs: 300_000 }

/** Makes the shared view at once, or each principal's when it is first used. */
export function createViews(options: ViewsOptions): Views {
  const { source, allow } = options
  const values = createListened()
  const watch = (service: AgenticService, owner: Owner): Catalogue =>
    createWatchedCatalogue(service, owner, { ...options, values })
  const all = newThing()
  const sharedCatalogue =
    typeof source === "function" ? undefined : watch(source, allow === undefined ? { view: all } : {})
  if (sharedCatalogue !== undefined && allow === undefined) {
    const view = createView({ ...options, id: all, catalogue: sharedCatalogue, allow: undefined })
    const close = (): void => closeAll(view, sharedCatalogue)
    return { shared: true, open: () => ({ view, release: () => undefined }), noteValues: values.listen, close }
  }

  const leases = createLeases<OwnedPart>({
    max: options.principals.max,
    idleMs: options.principals.idleMs,
    host: options.host,
    close: ({ view, catalogue }) => closeAll(view, catalogue),
  })
  const createPart = (principal: Principal | undefined): OwnedPart => {
    const id = newThing()
    const owner = { view: id, ...(principal !== undefined && { principal }) }
    const own = typeof source === "function" ? watch(source(principal), owner) : undefined
    const catalogue = own ?? sharedCatalogue
    if (catalogue === undefined) throw new Error("a view needs a service or a function that gives one")
    const view = createView({
      ...options,
      id,
      catalogue,
      allow: allow === undefined ? undefined : (entry) => allow(principal, entry),
    })
    return { view: { ...view, keep: (ms) => leases.keep(principalKey(principal), ms) }, catalogue: own }
  }
  return {
    shared: false,
    open(principal) {
      const { value, release } = leases.take(principalKey(principal), () => createPart(principal))
      return { view: value.view, release }
    },
    noteValues: values.listen,
    close() {
      leases.close()
      sharedCatalogue?.close()
    },
  }
}

/** A principal's view, and the catalogue where it is the principal's own. */
interface OwnedPart {
  readonly view: OwnedView
  readonly catalogue: Catalogue | undefined
}

function closeAll(view: OwnedView, catalogue: Catalogue | undefined): void {
  view.close()
  catalogue?.close()
}

/** Creates a catalogue that tells its changes, once for each task, and its diagnostics as those of the view that owns it. */
function createWatchedCatalogue(
  service: AgenticService,
  owner: Owner,
  { values, ...options }: ViewsOptions & { readonly values: Listened },
): Catalogue {
  const { report } = options.host
  const host: Host = { ...options.host, report: (diagnostic) => report(diagnostic, owner.view) }
  const catalogue = createCatalogue({ ...options, host, service })
  const told = createToldValues(catalogue.revision)
  const ended = values.add(() => told.noteAll(() => catalogue.read().states))
  let revision = catalogue.revision()
  subscribeIn(options.host.ledger, catalogue.settled, {
    next() {
      const now = catalogue.revision()
      if (now === revision) return
      const changes = catalogue.since(revision)
      revision = now
      if (changes === undefined) return
      let diff: Diff | undefined
      options.onChange({
        // Nobody may want to know, and then no value has to be encoded.
        get diff() {
          diff ??= toToldDiff(changes, told)
          return diff
        },
        revision: now,
        ...owner,
      })
    },
    complete: ended,
  })
  return catalogue
}

/** What is to be done for each catalogue once somebody listens. */
interface Listened {
  /** Has it done, then or now; returns what forgets it. */
  add(note: () => void): () => void
  /** Somebody listens. */
  listen(): void
}

function createListened(): Listened {
  const waiting = new Set<() => void>()
  let listening = false
  return {
    add(note) {
      if (listening) note()
      else waiting.add(note)
      return () => waiting.delete(note)
    },
    listen() {
      listening = true
      for (const note of waiting) note()
      waiting.clear()
    },
  }
}

function toToldDiff(changes: Parameters<typeof toDiff>[0], told: ToldValues): Diff {
  const diff = toDiff(changes)
  const values = diff.values.filter(told.differs)
  for (const entry of [...values, ...diff.states.appeared]) told.tell(entry)
  told.forgetGone(changes.states ?? new Map())
  return { ...diff, values }
}
