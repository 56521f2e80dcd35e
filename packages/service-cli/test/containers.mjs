#!/usr/bin/env node
// An agent that needs a container.
import { container, defineAgent, runAgent } from "@x/service-cli"

const agent = defineAgent({
  name: "asker",
  description: "Asks a database",
  services: {
    db: container({
      image: "postgres:17",
      ports: [5432],
      env: { POSTGRES_PASSWORD: "hidden" },
      command: ["-c", "fsync=off"],
      check: ["pg_isready", "-q"],
      readyMs: 2_000,
    }),
  },
  execute: ({ services }) => ({ result: `at port ${services.db.port(5432)}` }),
})

await runAgent(agent, import.meta)
