import { spawn } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import type { OptionRule } from "@x/base"
import { CliError, expectOptions } from "../cli-error.js"
import { toLine } from "../display.js"
import type { AgentService } from "./agent-definition.js"

/** A container that an agent needs. */
export interface ContainerOptions {
  /** The image, such as `postgres:17`. */
  readonly image: string
  /** The command with its arguments. Default: that of the image. */
  readonly command?: readonly string[]
  /** The environment variables. Their values never appear in a command line. Default: those of the image. */
  readonly env?: Readonly<Record<string, string>>
  /** The container's ports to publish. Each gets a free port on loopback. Default: none. */
  readonly ports?: readonly number[]
  /**
   * A command that succeeds once the container is ready, such as `["pg_isready"]`. It is run until then. Default: the container
   * is ready when it runs and, if the image has a health check, is healthy.
   */
  readonly check?: readonly string[]
  /** How long it may take to become ready after it was started, in milliseconds. Default 60,000. */
  readonly readyMs?: number
}

/** A running container. */
export interface Container {
  /** Docker's container id. */
  readonly id: string
  /**
   * Returns the local port for a container's port.
   *
   * @throws CliError `invalid_definition` for a port missing in {@link ContainerOptions.ports}.
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
 * Creates a service that runs a container. It is started with the `docker` command, used once it is ready, and removed with all
 * its data when the agent stops. If Docker is missing or its engine does not run, the agent does not start and says so.
 *
 * @throws CliError `invalid_definition` for an unknown or invalid option.
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
  if (digits === undefined)
    throw new CliError(`Docker did not publish port ${port}: found ${toLine(said)}`, { code: "unavailable" })
  return Number(digits)
}

function portOf(published: ReadonlyMap<number, number>, port: number): number {
  const found = published.get(port)
  if (found !== undefined) return found
  throw new CliError(`port ${port} of the container is not published: add it to "ports"`, {
    code: "invalid_definition",
  })
}

async function untilReady(id: string, options: ContainerOptions): Promise<void> {
  const { image, check, readyMs = 60_000 } = options
  const end = performance.now() + readyMs
  while (!(await isReady(id, options))) {
    if (performance.now() > end) {
      const wanted = check === undefined ? "it is not healthy" : `"${check.join(" ")}" fails in it`
      throw new CliError(`the container of "${image}" is not ready after ${readyMs} ms: ${wanted}`, {
        code: "unavailable",
      })
    }
    await wait(PAUSE)
  }
}

async function isReady(id: string, { image, check }: ContainerOptions): Promise<boolean> {
  const [status = "", health = ""] = (await docker(["inspect", "--format", STATE, id])).trim().split(" ")
  if (status === "exited" || status === "dead") {
    const said = toLine(await docker(["logs", "--tail", "5", id]))
    throw new CliError(`the container of "${image}" has ended: ${said || "without any output"}`, {
      code: "unavailable",
    })
  }
  const isRunning = status === "running" && (health === "" || health === "healthy")
  return isRunning && (check === undefined || (await runDocker(["exec", id, ...check])).code === 0)
}

/** Prints the status, and the health if the image has a health check. */
const STATE = "{{.State.Status}} {{if .State.Health}}{{.State.Health.Status}}{{end}}"

/** The pause between two checks, in milliseconds. */
const PAUSE = 200

/**
 * Runs a `docker` command.
 *
 * @returns The standard output; for `logs`, followed by the standard error.
 * @throws CliError `unavailable` if Docker is missing, its engine does not answer, or the command fails.
 */
async function docker(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await runDocker(args, env)
  if (code === 0) return args[0] === "logs" ? stdout + stderr : stdout
  const said = toLine(stderr)
  if (NO_ENGINE.test(stderr))
    throw new CliError(`Docker's engine does not answer: start it, or check DOCKER_HOST (${said})`, {
      code: "unavailable",
    })
  throw new CliError(`"docker ${args[0]}" failed with exit code ${code}: ${said}`, { code: "unavailable" })
}

/** Docker's messages for an engine that cannot be reached or may not be used. */
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
      reject(new CliError(`Docker is needed but cannot be used (${why}): install it`, { code: "unavailable", cause }))
    })
    child.once("close", (code) => resolve({ code, ...said }))
  })
}
