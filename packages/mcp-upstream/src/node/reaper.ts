import { type ChildProcess, spawn } from "node:child_process"
import process from "node:process"

/** Sees to it that no process outlives this one, however this one ends. */
export interface Reaper {
  /** Watches a process, and all of its group. @returns Lets it go. */
  watch(pid: number): () => void
}

/**
 * What runs beside us while there are processes to watch: it reads which, and once the pipe ends, because we are gone, it asks
 * them to stop and then makes them.
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

/** One for all servers of this process; there while there is one of them. Windows has no groups, and takes children along. */
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
  // A pipe of a process is a socket, which can be let go of as well.
  if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref()
}

function tell(line: string): void {
  running?.stdin?.write(`${line}\n`)
}

function stop(): void {
  running?.stdin?.end()
  running = undefined
}
