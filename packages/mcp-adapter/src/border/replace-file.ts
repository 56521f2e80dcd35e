import { randomBytes } from "node:crypto"
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"

/**
 * Replaces the whole text of a file, and returns once it is on disk. The file always has its old text or its new one, never a
 * part, even if the process is killed or the disk is full. Keeps the file's mode and owner, and symbolic links to it.
 *
 * The similar library `write-file-atomic` ends the process if a signal arrives during the write; this function does not.
 *
 * @param mode - The mode of a newly created file. Default `0o666`, reduced by the umask.
 * @throws The file system's error; the file is unchanged then, and no temporary file remains.
 * @example
 * ```ts
 * import { rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { replaceFile } from "@x/mcp-adapter/replace-file"
 *
 * const file = join(tmpdir(), "seen.json")
 * replaceFile(file, "{}")
 * rmSync(file)
 * ```
 */
export function replaceFile(file: string, text: string, { mode = 0o666 }: { readonly mode?: number } = {}): void {
  const before = statSync(file, { throwIfNoEntry: false })
  // A read-only file must not be replaced.
  if (before !== undefined) accessSync(file, constants.W_OK)
  const target = before === undefined ? file : realpathSync(file)
  // In the same folder, since a rename cannot cross file systems.
  const next = `${target}.${randomBytes(6).toString("hex")}.new`
  try {
    write(next, text, { mode, before })
    renameSync(next, target)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
  flushFolder(dirname(target))
}

function write(
  next: string,
  text: string,
  { mode, before }: { readonly mode: number; readonly before: Stats | undefined },
): void {
  const opened = openSync(next, "wx", mode)
  try {
    if (before !== undefined) keepOwner(opened, before)
    writeFileSync(opened, text)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

function keepOwner(opened: number, { mode, uid, gid }: Stats): void {
  fchmodSync(opened, mode & 0o777)
  if (process.getuid === undefined) return
  try {
    fchownSync(opened, uid, gid)
  } catch {
    // Only root may change a file's owner.
  }
}

/** Flushes the folder, so that a power failure does not undo the rename. Not possible on Windows, which cannot open folders. */
function flushFolder(folder: string): void {
  try {
    const opened = openSync(folder, "r")
    try {
      fsyncSync(opened)
    } finally {
      closeSync(opened)
    }
  } catch {
    // The file has been replaced anyway.
  }
}
