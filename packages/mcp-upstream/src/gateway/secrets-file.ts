import { readFileSync } from "node:fs"
import { isRecord, toMessage } from "@x/base"
import { replaceFile } from "@x/mcp-adapter/replace-file"
import { UpstreamError } from "../upstream-error.js"
import type { ConfigInput } from "./ask-inputs.js"
import { followFile } from "./follow-file.js"
import type { ReadOptions } from "./read-config.js"

/** A file of secrets beside a gateway's file, readable only by its owner: answers to inputs and tokens of sign-ins. */
export interface SecretsFile {
  /** Returns a stored value by kind and name. */
  get(kind: SecretKind, name: string): unknown
  /** Stores a value, or deletes it if `undefined`. Keeps other processes' changes to other names. */
  set(kind: SecretKind, name: string, value: unknown): void
  /** Calls a function when any process has changed the file. Returns a function that stops it. */
  follow(changed: () => void): () => void
  /** Answers inputs from the file, and stores a person's answers. */
  answer(ask: ((input: ConfigInput) => Promise<string | undefined>) | undefined): Required<ReadOptions>["ask"]
}

/** A kind of secret. */
export type SecretKind = "inputs" | "signIns"

type Secrets = Readonly<Partial<Record<SecretKind, Readonly<Record<string, unknown>>>>>

/**
 * Stores secrets in a JSON file with mode 0600, created when needed.
 *
 * @throws UpstreamError `invalid_config` if the file cannot be read or written.
 * @example
 * ```ts
 * import { mkdtemp, rm } from "node:fs/promises"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { createSecretsFile } from "@x/mcp-upstream/node"
 *
 * const folder = await mkdtemp(join(tmpdir(), "gateway-"))
 * const secrets = createSecretsFile(`${folder}/secrets.json`)
 * secrets.set("inputs", "api-key", "abc")
 * console.log(secrets.get("inputs", "api-key"), secrets.get("inputs", "other")) // abc undefined
 * await rm(folder, { recursive: true })
 * ```
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
    follow: (changed) => followFile(file, changed),
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
    throw new Error("its content is not that of a secrets file")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {}
    throw toError(file, cause, "read")
  }
}

function isSecrets(value: unknown): value is Secrets {
  return isRecord(value) && Object.values(value).every(isRecord)
}

/** Creates the error. Leaves out the parser's message, which quotes the file. */
function toError(file: string, cause: unknown, what: "read" | "written"): UpstreamError {
  const why = cause instanceof SyntaxError ? "it is not valid JSON" : toMessage(cause)
  return new UpstreamError(`"${file}" cannot be ${what}: ${why}; repair it, or remove it`, {
    code: "invalid_config",
    cause,
  })
}
