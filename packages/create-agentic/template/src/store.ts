import { open, readFile, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { ServiceError } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"

/** A note. */
export interface Note {
  readonly id: string
  readonly text: string
}

/** One user's notes. */
export interface NoteBook {
  /** The saved notes and their changes. */
  readonly notes$: BehaviorSubject<readonly Note[]>
  /** Changes the notes. Resolves once they are on disk. If they cannot be saved, it rejects and nothing has changed. */
  change(update: (notes: readonly Note[]) => readonly Note[]): Promise<void>
}

/** Opens a file of notes. The first change creates it. */
export async function openStore(file: string) {
  let saved = await readText(file)
  const users = parseUsers(file, saved)
  const books = new Map<string, NoteBook>()
  let last: Promise<unknown> = Promise.resolve()

  const save = async (user: string, notes: readonly Note[]): Promise<void> => {
    try {
      if ((await readText(file)) !== saved)
        throw new Error(`${file} was changed by another program: restart to read it`)
      const text = `${JSON.stringify({ ...Object.fromEntries(users), [user]: notes }, undefined, 2)}\n`
      await replaceFile(file, text)
      saved = text
      users.set(user, notes)
    } catch (cause) {
      console.error(`${file} was not saved:`, cause)
      // The reason is the first part of a system error's message; paths follow.
      const [reason] = String(cause instanceof Error ? cause.message : cause).split(",")
      throw new ServiceError(`the notes could not be saved: ${reason}; nothing was changed`, {
        code: "not_saved",
        cause,
      })
    }
  }
  const openBook = (user: string): NoteBook => {
    const notes$ = new BehaviorSubject<readonly Note[]>(users.get(user) ?? [])
    return {
      notes$,
      change(update) {
        // Changes run one after the other, each on the result of the last.
        const changed = last.then(async () => {
          const notes = update(notes$.value)
          await save(user, notes)
          notes$.next(notes)
        })
        last = changed.catch(() => {})
        return changed
      },
    }
  }
  return {
    /** Returns a user's notes; always the same object. */
    notesOf(user: string): NoteBook {
      const book = books.get(user) ?? openBook(user)
      books.set(user, book)
      return book
    },
    /** Resolves once no change is being saved. */
    written: async () => void (await last),
  }
}

/** Replaces a file atomically: whenever the process ends, the file has its old or its new text. */
async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.new`
  try {
    const written = await open(next, "w", 0o600)
    try {
      await written.writeFile(text)
      await written.sync()
    } finally {
      await written.close()
    }
    await rename(next, file)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
  // Flushes the folder, so that a power cut cannot undo the rename. Windows cannot open folders.
  const folder = await open(dirname(file)).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

function parseUsers(file: string, text = "{}"): Map<string, readonly Note[]> {
  try {
    return new Map(Object.entries<readonly Note[]>(JSON.parse(text)))
  } catch (cause) {
    throw new Error(`${file} is not JSON: repair it, or move it away to start without notes`, { cause })
  }
}
