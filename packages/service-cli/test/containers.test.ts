import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { runWith } from "./start.js"

/** Sets up a machine on which `docker` is missing, or a stand-in with the given behaviour. */
function makeMachine(mode: string) {
  const folder = mkdtempSync(join(tmpdir(), "docker-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = join(folder, "calls")
  if (mode !== "none") {
    copyFileSync(fileURLToPath(new URL("fake-docker.mjs", import.meta.url)), join(folder, "docker"))
    chmodSync(join(folder, "docker"), 0o755)
  }
  const env = {
    PATH: mode === "none" ? folder : [folder, dirname(process.execPath), process.env["PATH"]].join(delimiter),
    DOCKER_LOG: log,
    DOCKER_MODE: mode,
  }
  const calls = (): readonly { readonly args: readonly string[]; readonly password: string }[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : []
  return { env, calls }
}

describe("a service in a container", () => {
  it("is started, checked until it is ready, and removed at the end", async () => {
    const { env, calls } = makeMachine("works")

    const { code, stdout, stderr } = await runWith({ env, input: "" }, "containers", "--context", "hello")

    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "at port 49153\n", stderr: "" })
    const said = calls().map(({ args }) => args.join(" "))
    expect(said[0]).toBe("run --detach --publish 127.0.0.1::5432 --env POSTGRES_PASSWORD postgres:17 -c fsync=off")
    expect(calls()[0]?.password).toBe("hidden")
    expect(said.filter((line) => line === "exec 4f5c0123abcd pg_isready -q")).toHaveLength(3)
    expect(said.slice(-2)).toEqual(["port 4f5c0123abcd 5432/tcp", "rm --force --volumes 4f5c0123abcd"])
  })

  it.each([
    ["Docker is missing", "none", 'Docker is needed but cannot be used (there is no program "docker"): install it'],
    ["its image is unavailable", "no image", '"docker run" failed with exit code 125: Unable to find image'],
    ["it ends", "ends", 'the container of "postgres:17" has ended: FATAL: \\x1b[31mno space left on device'],
    ["it never becomes ready", "never", 'is not ready after 2000 ms: "pg_isready -q" fails in it'],
  ])("keeps its agent from starting, with a reason, if %s", async (_, mode, told) => {
    const { env, calls } = makeMachine(mode)

    const { code, stdout, stderr } = await runWith({ env, input: "" }, "containers", "--context", "hello")

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain('service "db" could not be started: ')
    expect(stderr).toContain(told)
    expect(stderr.trim().split("\n")).toHaveLength(1)
    // The started container has been removed again.
    const removed = calls().filter(({ args }) => args[0] === "rm")
    expect(removed).toHaveLength(mode === "ends" || mode === "never" ? 1 : 0)
  })
})
