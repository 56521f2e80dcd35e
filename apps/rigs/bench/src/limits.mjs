// What is held: by how much a row of one contestant may cost more than that of another, in one run.
export const limits = [
  { row: "call", of: "ours modern", to: "sdk modern", most: 0.4 },
  { row: "call", of: "ours sessions", to: "sdk sessions", most: 0.6 },
  { row: "call-schemas", of: "ours modern", to: "sdk modern" },
  { row: "call-schemas", of: "ours sessions", to: "sdk sessions" },
  { row: "list-100", of: "ours modern", to: "sdk modern" },
  { row: "list-1000", of: "ours modern", to: "sdk modern", most: 0.14 },
  { row: "list-1000", of: "ours sessions", to: "sdk sessions", most: 0.13 },
  { row: "list-1000", of: "ours modern", to: "node", most: 2 },
  { row: "list-5000-toggled", of: "ours modern", to: "sdk modern", most: 0.2 },
  { row: "read", of: "ours modern", to: "sdk modern", most: 0.7 },
  { row: "state-tool", of: "ours modern", to: "sdk modern", most: 0.9 },
  { row: "stdio-call", of: "ours", to: "sdk", most: 1.2 },
  { row: "in-memory-call", of: "ours", to: "sdk", most: 2 },
  { row: "start-stdio", of: "ours", to: "sdk", most: 1.25 },
  { row: "import", of: "ours", to: "sdk", most: 1.25 },
  { row: "fan-out", of: "ours modern", to: "sdk modern", most: 1.2 },
  { row: "latency", of: "ours modern", to: "sdk modern" },
]

/** By how many kB of heap what one contestant holds may be above what another does. */
export const heapLimits = [
  { row: "heap-session", of: "ours sessions", to: "sdk sessions", most: 5 },
  { row: "heap-get", of: "ours sessions", to: "sdk sessions", most: 5 },
  { row: "heap-listen", of: "ours modern", to: "sdk modern", most: 5 },
]
