import { spawn } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import type { OptionRule } from "@x/tool-schemas/json"
import { CliError, expectOptions } from "../cli-error.js"
import { toLine } from "../display.js"
import type { AgentService } from "./agent-definition.js"

/** A container that an agent needs. */
export interface ContainerOptions {
  /** The image, such as `postgres:17`. */
  readonly image: string
  /** What runs in it, with its arguments. Default: what the image says. */
  readonly command?: readonly string[]
  /** Its environment. The values are in no command line, where others could see them. Default: what the image says. */
  readonly env?: Readonly<Record<string, string>>
  /** The ports of it that are used. Each is reached at a free port of this machine, and from nowhere else. Default: none. */
  readonly ports?: readonly number[]
  /**
   * A command that is run in it until it succeeds: then it is ready, such as `["pg_isready"]`. Default: it is ready when it runs
   * and, where the image has a health check, is healthy.
   */
  readonly check?: readonly string[]
  /** How long it may take to be ready once it has been started, in milliseconds. Default 60,000. */
  readonly readyMs?: number
}

/** A container that runs. */
export interface Container {
  /** Its id, as Docker has it. */
  readonly id: string
  /**
   * Returns where a port of it is reached on this machine.
   *
   * @throws CliError `invalid_definition` for a port that is not in {@link ContainerOptions.ports}.
   */
  port(port: number): number
}

const RULES: Record<keyof ContainerOptions, OptionRule> = {
  image: "text",
  command: "any",
  env: "object",
  ports: "any",
  check: "any",
  readyMs: { from: 0 },
}

/**
 * Makes a service of a container: it is started by the `docker` command, waited for until it is ready, and removed with all its
 * data when the agent is stopped. Where there is no Docker, or its engine does not run, the agent does not start and says so.
 *
 * @throws CliError `invalid_definition` for an option that is none.
 * @example
 * ```ts
 * import { container, defineAgent } from "@x/service-cli"
 *
 * const agent = defineAgent({
 *   name: "asker",
 *   description: "Asks a database",
 *   services: { db: container({ image: "postgres:17", ports: [5432], env: { POSTGRES_PASSWORD: "local" }, check: ["pg_isready"] }) },
 *   execute: ({ services }) => ({ result: `the database is at port ${services.db.port(5432)}` }),
 * })
 * console.log(agent.name) // asker
 * ```
 */
export function container(options: ContainerOptions): AgentService<Container> {
  expectOptions("container", options, RULES)
  return {
    start: () => startContainer(options),
    stop: async ({ id }) => void (await docker(["rm", "--force", "--volumes", id])),
  }
}

async function startContainer(options: ContainerOptions): Promise<Container> {
  const { image, command = [], env = {}, ports = [] } = options
  const args = [
    "run",
    "--detach",
    ...ports.flatMap((port) => ["--publish", `127.0.0.1::${port}`]),
    // Without a value, Docker takes it from its own environment.
    ...Object.keys(env).flatMap((name) => ["--env", name]),
    image,
    ...command,
  ]
  const id = (await docker(args, env)).trim().split("\n").at(-1) ?? ""
  try {
    await untilReady(id, options)
    const published = new Map<number, number>()
    for (const port of ports) published.set(port, await publishedPort(id, port))
    return { id, port: (port) => portOf(published, port) }
  } catch (cause) {
    await docker(["rm", "--force", "--volumes", id]).catch(() => undefined)
    throw cause
  }
}

async function publishedPort(id: string, port: number): Promise<number> {
  const said = await docker(["port", id, `${port}/tcp`])
  const [, digits] = /:(\d+)\s*$/m.exec(said) ?? []
  if (digits === undefined) throw new CliError("unavailable", `Docker has no port ${port}: it says ${toLine(said)}`)
  return Number(digits)
}

function portOf(published: ReadonlyMap<number, number>, port: number): number {
  const found = published.get(port)
  if (found !== undefined) return found
  throw new CliError("invalid_definition", `port ${port} of the container is not used: name it in "ports"`)
}

async function untilReady(id: string, options: ContainerOptions): Promise<void> {
  const { image, check, readyMs = 60_000 } = options
  const end = performance.now() + readyMs
  while (!(await isReady(id, options))) {
    if (performance.now() > end) {
      const wanted = check === undefined ? "it is not healthy" : `"${check.join(" ")}" fails in it`
      throw new CliError("unavailable", `the container of "${image}" is not ready after ${readyMs} ms: ${wanted}`)
    }
    await wait(PAUSE)
  }
}

async function isReady(id: string, { image, check }: ContainerOptions): Promise<boolean> {
  const [status = "", health = ""] = (await docker(["inspect", "--format", STATE, id])).trim().split(" ")
  if (status === "exited" || status === "dead") {
    const said = toLine(await docker(["logs", "--tail", "5", id]))
    throw new CliError("unavailable", `the container of "${image}" has ended: ${said || "it said nothing"}`)
  }
  const isRunning = status === "running" && (health === "" || health === "healthy")
  return isRunning && (check === undefined || (await runDocker(["exec", id, ...check])).code === 0)
}

/** Whether it runs, and whether it is healthy, where the image has a check of its own. */
const STATE = "{{.State.Status}} {{if .State.Health}}{{.State.Health.Status}}{{end}}"

/** How long is waited between two checks, in milliseconds. */
const PAUSE = 200

/**
 * Runs the command of Docker.
 *
 * @returns What it wrote, to standard output and then to standard error.
 * @throws CliError `unavailable` where there is none, where its engine does not answer, or where it fails.
 */
async function docker(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await runDocker(args, env)
  if (code === 0) return args[0] === "logs" ? stdout + stderr : stdout
  const said = toLine(stderr)
  if (NO_ENGINE.test(stderr))
    throw new CliError("unavailable", `Docker's engine does not answer: start it, or check DOCKER_HOST (${said})`)
  throw new CliError("unavailable", `"docker ${args[0]}" failed with exit code ${code}: ${said}`)
}

/** How Docker's command says that it cannot reach its engine, or may not. */
const NO_ENGINE =
  /cannot connect to the docker daemon|failed to connect to the docker api|error during connect|permission denied while trying to connect/i

function runDocker(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("docker", [...args], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
    const said = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.stderr += text
    })
    child.once("error", (cause) => {
      const why = "code" in cause && cause.code === "ENOENT" ? 'there is no program "docker"' : cause.message
      reject(new CliError("unavailable", `Docker is needed and cannot be used (${why}): install it`, { cause }))
    })
    child.once("close", (code) => resolve({ code, ...said }))
  })
}
