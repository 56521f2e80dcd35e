import { formatPointer, isRecord } from "@x/base"
import { matchesGlob } from "./glob.js"
import { likelyKey } from "./likely-key.js"
import { profileProperties, serverOf } from "./profiles.js"

/** The faults of a file's profiles. */
export interface ProfileFaults {
  /** Errors that make the file unusable, since a typing mistake must not drop a restriction. */
  readonly errors: readonly string[]
  /** Rules that may not do what their author expects. */
  readonly warnings: readonly string[]
}

const KEYS = Object.keys(profileProperties)

/** Finds unknown keys, unknown servers and unreachable profiles. */
export function checkProfiles(profiles: unknown, entries: Readonly<Record<string, unknown>>): ProfileFaults {
  if (!isRecord(profiles)) return { errors: [], warnings: [] }
  const servers = Object.keys(entries)
  const all = Object.entries(profiles).flatMap(([name, profile]) => (isRecord(profile) ? [{ name, profile }] : []))
  const catchAll = all.findIndex(({ profile }) => !("clients" in profile) && !("principals" in profile))
  const unreached = catchAll < 0 ? [] : all.slice(catchAll + 1)
  return {
    errors: all.flatMap(({ name, profile }) => Object.keys(profile).flatMap((key) => unknownKey(name, key))),
    warnings: [
      ...unreached.map(
        ({ name }) => `${at(name)}: is never used, because "${all[catchAll]?.name}" above it applies to every caller`,
      ),
      ...all.flatMap(({ name, profile }) => unknownServers(name, profile, servers)),
    ],
  }
}

function at(...path: readonly string[]): string {
  return formatPointer(["profiles", ...path])
}

function unknownKey(name: string, key: string): readonly string[] {
  if (KEYS.includes(key)) return []
  const likely = likelyKey(key, KEYS)
  const hint = likely === undefined ? `expected ${KEYS.join(", ")}` : `did you mean "${likely}"?`
  return [`${at(name, key)}: is not a known key: ${hint}`]
}

function unknownServers(
  name: string,
  profile: Readonly<Record<string, unknown>>,
  servers: readonly string[],
): readonly string[] {
  const named = ["allow", "deny", "prefix", "rename"].flatMap((key) => {
    const value = profile[key]
    const patterns = Array.isArray(value) ? value.map(String) : isRecord(value) ? Object.keys(value) : []
    return patterns.map((pattern) => ({ key, pattern }))
  })
  return named
    .filter(({ pattern }) => !servers.some((server) => matchesGlob(serverOf(pattern), server)))
    .map(({ key, pattern }) => `${at(name, key)}: ${JSON.stringify(pattern)} matches no server in this file`)
}
