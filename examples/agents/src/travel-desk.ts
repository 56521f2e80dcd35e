#!/usr/bin/env node
// travel-desk desk --json '{"user_message":{"text":"A window seat to Lisbon, with a surfboard"}}'
import { fail } from "@x/agentic-service"
import { type AgentNetwork, createAgentNetworks } from "@x/chat-service"
import { runService } from "@x/service-cli"
import { BehaviorSubject } from "rxjs"

const FREE: ReadonlyMap<string, readonly string[]> = new Map([
  ["lisbon", ["3A", "3C", "12F"]],
  ["oslo", ["7C"]],
])

/** Finds free seats. Only the desk calls it. */
const seats: AgentNetwork = {
  description: "Knows the free seats of each flight",
  public: false,
  respond({ text }) {
    const [, free] = [...FREE].find(([city]) => text.toLowerCase().includes(city)) ?? []
    if (free === undefined)
      return fail(`no flight to that city: choose one to ${[...FREE.keys()].join(" or ")}`, { code: "no_flight" })
    const wanted = text.includes("window") ? free.filter((seat) => /[AF]$/.test(seat)) : free
    return [`${wanted[0] ?? free[0]}`, { type: "slyData", slyData: { hold: `${wanted[0] ?? free[0]}-${free.length}` } }]
  },
  // The caller can hold the seat by this number, so no model should see it.
  slyDataBack: ["hold"],
}

/** Answers questions about baggage. */
const baggage: AgentNetwork = {
  description: "Knows the baggage rules and prices",
  input: "text",
  respond({ text }) {
    if (/surfboard|bicycle|skis/i.test(text))
      return [{ type: "source", title: "Tariff", uri: "https://example.com/tariff" }, "Sports baggage costs 40."]
    return "Hand baggage and one suitcase are included."
  },
}

/** Talks to the passenger, and calls the other agents. */
const desk: AgentNetwork = {
  description: "Finds a passenger a seat, and states the baggage rules",
  input: "neuro-san",
  conversation: "client",
  slyDataBack: ["hold"],
  async *respond({ text }, { ask, tell }) {
    tell({ kind: "progress", text: "looking for a seat" })
    const seat = await ask("seats", { messages: text })
    yield `Seat ${seat.text} is yours. `
    const taken = await ask("baggage", { messages: text })
    yield taken.text
    yield* taken.extras
    yield { type: "slyData", slyData: seat.slyData }
  },
}

/** The served agents. `agents$.next(…)` adds and removes agents at run time. */
const agents$ = new BehaviorSubject<Record<string, AgentNetwork>>({ desk, seats, baggage })

const service = createAgentNetworks({
  name: "travel-desk",
  description: "A travel desk of three agents",
  networks$: agents$,
})

await runService(service, process.argv, { version: "1.0.0" })
