import { type ChildProcess, spawn } from "node:child_process"
import process from "node:process"

/** Ends the child processes of this process, however this one ends. */
export interface Reaper {
  /** Watches a process and its group. @returns A function that stops watching. */
  watch(pid: number): () => void
}

/**
 * The script of the helper process. It reads which processes to watch. When its pipe closes, since this process is gone, it
 * sends them SIGTERM, then SIGKILL.
 */
const SCRIPT = `
let text = "", pids = new Set()
const kill = (signal) => { for (const pid of pids) try { process.kill(-pid, signal) } catch {} }
process.stdin.setEncoding("utf8").on("data", (data) => {
  text += data
  const lines = text.split("\\n")
  text = lines.pop()
  for (const line of lines) line[0] === "+" ? pids.add(Number(line.slice(1))) : pids.delete(Number(line.slice(1)))
}).on("end", () => {
  if (pids.size === 0) process.exit()
  setTimeout(() => { kill("SIGTERM"); setTimeout(() => { kill("SIGKILL"); process.exit() }, 1000) }, 1000)
})`

let running: ChildProcess | undefined
const watched = new Set<number>()

/**
 * The reaper for all servers of this process. Its helper runs while there are processes to watch. Windows has no process groups
 * and ends children by itself.
 */
export const reaper: Reaper = {
  watch(pid) {
    if (process.platform === "win32") return () => undefined
    watched.add(pid)
    if (running === undefined) start()
    tell(`+${pid}`)
    return () => {
      if (!watched.delete(pid)) return
      tell(`-${pid}`)
      if (watched.size === 0) stop()
    }
  },
}

function start(): void {
  const child = spawn(process.execPath, ["-e", SCRIPT], { stdio: ["pipe", "ignore", "ignore"], detached: true })
  running = child
  const gone = (): void => {
    if (running === child) running = undefined
  }
  child.on("error", gone)
  child.on("exit", gone)
  child.stdin?.on("error", gone)
  child.unref()
  // A child process's pipe is a socket, which can be unreferenced too.
  if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref()
}

function tell(line: string): void {
  running?.stdin?.write(`${line}\n`)
}

function stop(): void {
  running?.stdin?.end()
  running = undefined
}
