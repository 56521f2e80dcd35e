import type { AgenticService, Principal } from "@x/agentic-service"
import { type Catalogue, createCatalogue } from "../catalogue/create-catalogue.js"
import { type CatalogueChange, type Diff, toDiff } from "../catalogue/diff.js"
import type { CatalogueLimits } from "../catalogue/listing.js"
import type { ReservedNames } from "../catalogue/naming.js"
import type { PublishInput } from "../catalogue/publish-tool.js"
import type { Path } from "../names/path.js"
import type { PlacedState } from "../names/resource-uri.js"
import type { ToolNamer } from "../names/tool-name.js"
import { type Host, once, subscribeIn } from "../runtime/host.js"
import { createRoster } from "../runtime/slots.js"
import { type Allow, filterCatalogueChange } from "./allow.js"
import type { Lease } from "./leases.js"
import { objectKey } from "./object-key.js"
import type { ServiceProfile } from "./profile.js"
import { createToldValues } from "./told-values.js"

/** The catalogues of an adapter. Views of the same service share one, whoever reaches it. */
export interface SharedCatalogues {
  /**
   * Takes a lease on the catalogue of a service, created when missing and closed with the last lease.
   *
   * @param profile - Decides how schemas are published.
   */
  open(service: AgenticService, user: CatalogueUser, profile?: ServiceProfile): Lease<Catalogue>
  /** Records all current values as known to listeners of changes, so that only later values are reported. */
  noteValues(): void
  /** Closes every catalogue. Idempotent. */
  close(): void
}

/** A view that reports a catalogue's changes as its own, or the owner of a service that everybody sees. */
export interface CatalogueUser {
  /** The view's identity. Absent if views that see different parts share the service. */
  readonly view?: string
  /** The view's principal, if each principal has a service. */
  readonly principal?: Principal
  /** The view's filter. */
  readonly allow?: Allow
}

/** The changes of one task, as one user sees them. */
export interface Change extends Omit<CatalogueUser, "allow"> {
  /** The difference from the previous change, computed when first read. */
  readonly diff: Diff
  /** The revision after it. */
  readonly revision: number
}

/** Options of shared catalogues. */
export interface SharedCataloguesOptions {
  /** Creates tool names. */
  readonly toolName: ToolNamer
  /** Names of the adapter's own tools, under which no action is listed. */
  readonly reserved: ReservedNames
  /** Returns the function that publishes input schemas in a profile. */
  readonly publishAs: (profile: ServiceProfile | undefined) => PublishInput
  /** Creates resource URIs. */
  readonly stateUri: (path: Path, key: string) => string
  /** Parses resource URIs. */
  readonly parseStateUri: (uri: string) => PlacedState | undefined
  /** Limits of catalogues. */
  readonly limits: CatalogueLimits
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** Called with each task's changes. */
  readonly onChange: (change: Change) => void
}

/** A catalogue and the views that use it. */
interface Shared {
  readonly catalogue: Catalogue
  /** Adds a user. Returns a function that removes it. */
  join(user: CatalogueUser): () => void
  /** Whether it has users. */
  isUsed(): boolean
}

/** Creates an empty set of catalogues. */
export function createSharedCatalogues(options: SharedCataloguesOptions): SharedCatalogues {
  const { publishAs } = options
  const values = createListened()
  const all = new Map<string, Shared>()
  return {
    open(service, user, profile) {
      const key = JSON.stringify([objectKey(service), profile?.schemas ?? ""])
      const shared = all.get(key) ?? share(service, user, { ...options, values, publishInput: publishAs(profile) })
      all.set(key, shared)
      const leave = shared.join(user)
      return {
        value: shared.catalogue,
        release: once(() => {
          leave()
          if (shared.isUsed()) return
          if (all.get(key) === shared) all.delete(key)
          shared.catalogue.close()
        }),
      }
    },
    noteValues: values.listen,
    close() {
      for (const { catalogue } of all.values()) catalogue.close()
      all.clear()
    },
  }
}

/** Creates a catalogue that reports each task's changes to its users. */
function share(
  service: AgenticService,
  first: CatalogueUser,
  { values, ...options }: SharedCataloguesOptions & { readonly values: Listened; readonly publishInput: PublishInput },
): Shared {
  const { report, ledger } = options.host
  const users = createRoster<{ readonly user: CatalogueUser; readonly since: number }>()
  /** The one user, whom a diagnostic concerns alone. The first fails or succeeds in watching the service before it joins. */
  const onlyUser = (): CatalogueUser | undefined => {
    const all = users.all()
    return all.length > 1 ? undefined : (all[0]?.user ?? first)
  }
  const host: Host = { ...options.host, report: (diagnostic) => report(diagnostic, onlyUser()?.view) }
  const catalogue = createCatalogue({ ...options, host, service })
  const told = createTold(catalogue, values)
  let reported = catalogue.revision()
  subscribeIn(ledger, catalogue.settled, {
    next() {
      const revision = catalogue.revision()
      const before = reported
      reported = revision
      if (revision === before) return
      const all = createTaskChanges(catalogue.since(before), told.take)
      for (const { user, since } of users.all()) {
        const changes = since <= before ? all : createTaskChanges(catalogue.since(since), all.within)
        tellUser(changes, user, { revision, onChange: options.onChange })
      }
    },
    complete: told.end,
  })
  return {
    catalogue,
    join: (user) => users.add({ user, since: catalogue.revision() }),
    isUsed: () => users.all().length > 0,
  }
}

/** Reports the changes that one user sees, if any. */
function tellUser(
  { changes, diffFor }: TaskChanges,
  { allow, ...owner }: CatalogueUser,
  { revision, onChange }: { readonly revision: number; readonly onChange: SharedCataloguesOptions["onChange"] },
): void {
  if (changes === undefined || !isAnySeen(changes, allow)) return
  let diff: Diff | undefined
  onChange({
    // Encodes values only when somebody reads the diff.
    get diff() {
      diff ??= diffFor(allow)
      return diff
    },
    revision,
    ...owner,
  })
}

function isAnySeen(changes: Omit<CatalogueChange, "revision">, allow: Allow): boolean {
  const { tools, states, links, values } = filterCatalogueChange(changes, allow)
  return tools.size + states.size + links.size + values.size > 0
}

/** The changes of one task. */
interface TaskChanges {
  /** The net changes; absent when they are too many to remember. */
  readonly changes: Omit<CatalogueChange, "revision"> | undefined
  /** Returns the diff for a filter. */
  diffFor(allow: Allow): Diff
  /** Leaves out values of a part of these changes that are no news in the whole. */
  readonly within: Told["take"]
}

/** @param take - Called once, when a diff is first read, so that a value is encoded once for all users. */
function createTaskChanges(changes: TaskChanges["changes"], take: Told["take"]): TaskChanges {
  let known: Omit<CatalogueChange, "revision"> | undefined
  const taken = (): Omit<CatalogueChange, "revision"> | undefined => {
    known ??= changes && take(changes)
    return known
  }
  return {
    changes,
    diffFor(allow) {
      const all = taken()
      return toDiff(all === undefined ? {} : filterCatalogueChange(all, allow))
    },
    within(part) {
      const isNews = (uri: string): boolean => taken()?.values.has(uri) === true || changes?.states.has(uri) === true
      return { ...part, values: new Map([...part.values].filter(([uri]) => isNews(uri))) }
    },
  }
}

/** The values of a catalogue's states that listeners of its changes know. */
interface Told {
  /** Leaves out values that are known already, and records the others as known. */
  take(changes: Omit<CatalogueChange, "revision">): Omit<CatalogueChange, "revision">
  /** Stops waiting for a first listener. */
  end(): void
}

function createTold(catalogue: Catalogue, listened: Listened): Told {
  const told = createToldValues(catalogue.revision)
  const end = listened.add(() => told.noteAll(() => catalogue.read().states))
  return {
    take(changes) {
      const values = new Map([...changes.values].filter(([, entry]) => told.differs(entry)))
      for (const entry of values.values()) told.tell(entry)
      for (const { before, after } of changes.states.values())
        if (before === undefined && after !== undefined) told.tell(after)
      told.forgetGone(changes.states)
      return { ...changes, values }
    },
    end,
  }
}

/** Work to do for each catalogue once somebody listens. */
interface Listened {
  /** Adds work, done now or at the first listener. Returns a function that removes it. */
  add(note: () => void): () => void
  /** Does all work from now on. */
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
