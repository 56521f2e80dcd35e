import { Low } from "lowdb"
import { JSONFile } from "lowdb/node"
import { BehaviorSubject } from "rxjs"

/** A note. */
export interface Note {
  readonly id: string
  readonly text: string
}

/** The notes of one user. */
export interface NoteBook {
  /** The notes as they are now, and whenever they change. */
  readonly notes$: BehaviorSubject<readonly Note[]>
  /** Changes them, and writes them down. */
  change(update: (notes: readonly Note[]) => readonly Note[]): void
}

/** Opens a file of notes, which is made when something is in it. */
export async function openStore(file: string) {
  const books = new Map<string, NoteBook>()
  const db = new Low<Record<string, readonly Note[]>>(new JSONFile(file), {})
  await db.read()
  let writing = Promise.resolve()
  const openBook = (user: string): NoteBook => {
    const notes$ = new BehaviorSubject<readonly Note[]>(db.data[user] ?? [])
    return {
      notes$,
      change(update) {
        notes$.next(update(notes$.value))
        db.data[user] = notes$.value
        writing = writing.then(() => db.write()).catch((error) => console.error(`${file} was not written:`, error))
      },
    }
  }
  return {
    /** The notes of a user; the same object each time. */
    notesOf(user: string): NoteBook {
      const book = books.get(user) ?? openBook(user)
      books.set(user, book)
      return book
    },
    /** Resolves once everything is in the file. */
    written: () => writing,
  }
}
