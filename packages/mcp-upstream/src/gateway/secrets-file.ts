import { readFileSync, watch } from "node:fs"
import { basename, dirname } from "node:path"
import { replaceFile } from "@x/mcp-adapter/replace-file"
import { isRecord } from "@x/tool-schemas/json"
import { UpstreamError } from "../upstream-error.js"
import type { ConfigInput, ReadOptions } from "./read-config.js"

/** A file of secrets beside a gateway's file, which only its owner can read: answers to inputs, by their ids. */
export interface SecretsFile {
  /** Returns what is kept under a name of a kind. */
  get(kind: SecretKind, name: string): unknown
  /** Keeps a value, or with `undefined` forgets it. Other processes' changes to other names stay. */
  set(kind: SecretKind, name: string, value: unknown): void
  /** Tells of changes by any process, once the file is at rest. Returns what ends it. */
  follow(changed: () => void): () => void
  /** Answers inputs with what is kept, and keeps what a person answers. */
  answer(ask: ((input: ConfigInput) => Promise<string | undefined>) | undefined): Required<ReadOptions>["ask"]
}

/** A kind of secret. */
export type SecretKind = "inputs" | "signIns"

/** How long the file has to be at rest before it is told, in milliseconds. */
const REST_MS = 100

type Secrets = Readonly<Partial<Record<SecretKind, Readonly<Record<string, unknown>>>>>

/**
 * Keeps secrets in a file of JSON with mode 0600, which need not exist yet.
 *
 * @throws UpstreamError `invalid_config` when a secret is read or written and the file cannot be.
 */
export function createSecretsFile(file: string): SecretsFile {
  const get = (kind: SecretKind, name: string): unknown => {
    const found = read(file)[kind]
    return found !== undefined && Object.hasOwn(found, name) ? found[name] : undefined
  }
  const set = (kind: SecretKind, name: string, value: unknown): void => {
    const before = read(file)
    const { [name]: _, ...others } = before[kind] ?? {}
    const next = { ...before, [kind]: value === undefined ? others : { ...others, [name]: value } }
    try {
      replaceFile(file, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600 })
    } catch (cause) {
      throw toError(file, cause, "written")
    }
  }
  return {
    get,
    set,
    follow(changed) {
      let timer: NodeJS.Timeout | undefined
      const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
        if (name !== null && name !== basename(file)) return
        clearTimeout(timer)
        timer = setTimeout(changed, REST_MS)
      })
      return () => {
        clearTimeout(timer)
        watcher.close()
      }
    },
    answer: (ask) => async (input) => {
      const kept = get("inputs", input.id)
      if (typeof kept === "string") return kept
      const answer = await ask?.(input)
      if (answer !== undefined) set("inputs", input.id, answer)
      return answer
    },
  }
}

function read(file: string): Secrets {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"))
    if (isSecrets(found)) return found
    throw new Error("it does not hold secrets of a gateway")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {}
    throw toError(file, cause, "read")
  }
}

function isSecrets(value: unknown): value is Secrets {
  return isRecord(value) && Object.values(value).every(isRecord)
}

/** Says what failed. The words of a parser stay out: they quote the file. */
function toError(file: string, cause: unknown, what: "read" | "written"): UpstreamError {
  const why = cause instanceof SyntaxError ? "it is no JSON" : cause instanceof Error ? cause.message : String(cause)
  return new UpstreamError("invalid_config", `"${file}" cannot be ${what}: ${why}; mend it, or remove it`, { cause })
}
