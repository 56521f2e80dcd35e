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
 * Replaces the text of a file as a whole, and returns once it is on the disk. Whatever happens at whatever moment (the process is
 * killed, the disk is full), the file has its old text or its new one, never a part. Its mode, its owner and a symbolic link
 * that leads to it stay.
 *
 * A library of the same purpose, `write-file-atomic`, ends the process on a signal that arrives while it writes; this does not.
 *
 * @param mode - The mode of a file that is created. Default `0o666`, less what the umask takes.
 * @throws The error of the file system; the file is unchanged then, and nothing is left beside it.
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
  // A file that may not be written is not to be replaced either.
  if (before !== undefined) accessSync(file, constants.W_OK)
  const target = before === undefined ? file : realpathSync(file)
  // In the same folder, since nothing can be renamed from one disk to another.
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
    // Only root may give a file to somebody else.
  }
}

/** Keeps a power cut from taking the new name back, where the system can do that: Windows opens no folders. */
function flushFolder(folder: string): void {
  try {
    const opened = openSync(folder, "r")
    try {
      fsyncSync(opened)
    } finally {
      closeSync(opened)
    }
  } catch {
    // The file has been replaced all the same.
  }
}
