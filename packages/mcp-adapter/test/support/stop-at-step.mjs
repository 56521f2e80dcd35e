// `node --import`: makes a program's file operations fail at step STOP_AT, counted from 1, in folder STOP_IN. With
// STOP_HOW=kill the process is killed before the step. With STOP_HOW=full the step fails halfway, as on a full disk.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const { STOP_AT = "0", STOP_IN = "", STOP_HOW = "kill" } = process.env
const ours = new Set()
let steps = 0

/** Counts a step. Returns an error when it must fail. */
function step() {
  steps += 1
  if (steps !== Number(STOP_AT)) return undefined
  if (STOP_HOW === "kill") process.kill(process.pid, "SIGKILL")
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
}

const isOurs = (path) => typeof path === "string" && path.startsWith(STOP_IN)
const isWrite = (flags) => typeof flags === "string" && flags !== "r"

const { openSync, writeFileSync, fsyncSync, renameSync } = fs
fs.openSync = (path, flags, ...rest) => {
  const counted = isOurs(path) && isWrite(flags)
  const error = counted ? step() : undefined
  if (error) throw error
  const opened = openSync(path, flags, ...rest)
  if (counted) ours.add(opened)
  return opened
}
fs.writeFileSync = (target, text, ...rest) => {
  const error = ours.has(target) || isOurs(target) ? step() : undefined
  if (error) writeFileSync(target, text.slice(0, text.length / 2), ...rest)
  if (error) throw error
  return writeFileSync(target, text, ...rest)
}
fs.fsyncSync = (opened) => {
  const error = ours.has(opened) ? step() : undefined
  if (error) throw error
  return fsyncSync(opened)
}
fs.renameSync = (from, to) => {
  const error = isOurs(to) ? step() : undefined
  if (error) throw error
  renameSync(from, to)
  if (isOurs(to) && STOP_HOW === "kill") step()
}

const { open, rename } = fs.promises
fs.promises.open = async (path, flags = "r", ...rest) => {
  const counted = isOurs(path) && isWrite(flags)
  const error = counted ? step() : undefined
  if (error) throw error
  const handle = await open(path, flags, ...rest)
  if (counted) watchHandle(handle)
  return handle
}
fs.promises.rename = async (from, to) => {
  const error = isOurs(to) ? step() : undefined
  if (error) throw error
  await rename(from, to)
  if (isOurs(to) && STOP_HOW === "kill") step()
}

function watchHandle(handle) {
  const writeFile = handle.writeFile.bind(handle)
  const sync = handle.sync.bind(handle)
  handle.writeFile = async (text) => {
    const error = step()
    await writeFile(error ? text.slice(0, text.length / 2) : text)
    if (error) throw error
  }
  handle.sync = async () => {
    const error = step()
    if (error) throw error
    await sync()
  }
}

syncBuiltinESMExports()
