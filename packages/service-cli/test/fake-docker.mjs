#!/usr/bin/env node
// A stand-in for `docker`, put on the tests' PATH. It logs its calls to the file DOCKER_LOG and answers like Docker's command.
// DOCKER_MODE selects what goes wrong.
import { appendFileSync, existsSync, readFileSync } from "node:fs"

const { DOCKER_LOG = "", DOCKER_MODE = "", POSTGRES_PASSWORD = "" } = process.env
const args = process.argv.slice(2)
appendFileSync(DOCKER_LOG, `${JSON.stringify({ args, password: POSTGRES_PASSWORD })}\n`)
const calls = existsSync(DOCKER_LOG)
  ? readFileSync(DOCKER_LOG, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).args)
  : []

const refuse = (text, code = 1) => {
  process.stderr.write(`${text}\n`)
  process.exit(code)
}

switch (args[0]) {
  case "run":
    if (DOCKER_MODE === "no image")
      refuse(
        "Unable to find image 'postgres:17' locally\ndocker: Error response from daemon: pull access denied for postgres",
        125,
      )
    process.stdout.write("4f5c0123abcd\n")
    break
  case "inspect":
    process.stdout.write(DOCKER_MODE === "ends" ? "exited \n" : "running \n")
    break
  case "exec":
    // The third check succeeds.
    if (DOCKER_MODE === "never" || calls.filter(([name]) => name === "exec").length < 3) process.exit(2)
    break
  case "port":
    process.stdout.write("127.0.0.1:49153\n")
    break
  case "logs":
    process.stderr.write("FATAL: \u001b[31mno space left on device\n")
    break
}
