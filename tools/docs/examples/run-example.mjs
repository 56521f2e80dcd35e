import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

const anyPort = new URL("any-port.mjs", import.meta.url)

/**
 * Runs one compiled example. It must end by itself with exit code 0 within 30 seconds. An example that mentions SIGTERM gets
 * that signal after it has printed something. Returns the output and any fault.
 */
export async function runExample({ place, file, code, output }, folder) {
  const script = join(folder, file.replace(/\.ts$/, ".js"))
  // With empty input, a server on stdio ends at once.
  const child = spawn(process.execPath, ["--enable-source-maps", "--import", anyPort.href, script], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  if (code.includes("SIGTERM")) child.stdout.once("data", () => endSoon(child))
  const tooLong = setTimeout(() => child.kill("SIGKILL"), 30_000)
  const [status, signal] = await once(child, "close")
  clearTimeout(tooLong)
  const printed = stdout.text
  if (status !== 0)
    return { printed, failure: `${place}: ended with ${signal ?? status}, expected 0\n${printed}${stderr.text}` }
  if (output !== undefined && printed.trimEnd() !== output)
    return { printed, failure: `${place}: printed\n${printed}\ninstead of\n${output}` }
  return { printed }
}

function collect(stream) {
  const collected = { text: "" }
  stream.setEncoding("utf8").on("data", (chunk) => {
    collected.text += chunk
  })
  return collected
}

/** Waits for the first output, because an example may listen for the signal only after that. */
function endSoon(child) {
  setTimeout(() => child.kill("SIGTERM"), 200)
}
