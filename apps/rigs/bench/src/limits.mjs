// The limits: the highest ratio of one contestant's cost to another's in the same run.
export const limits = [
  { row: "call", of: "ours modern", to: "sdk modern", most: 0.28 },
  { row: "call", of: "ours modern", to: "mcp-lite", most: 0.7 },
  { row: "call", of: "ours progress", to: "ours modern", most: 1.25 },
  { row: "call", of: "ours extensions", to: "ours modern", most: 1.25 },
  { row: "call", of: "ours session progress", to: "ours sessions", most: 1.25 },
  { row: "call", of: "ours stateless", to: "ours modern", most: 1.25 },
  { row: "call", of: "ours sessions", to: "sdk sessions", most: 0.6 },
  { row: "call-schemas", of: "ours modern", to: "sdk modern" },
  { row: "call-schemas", of: "ours sessions", to: "sdk sessions" },
  { row: "list-100", of: "ours modern", to: "sdk modern" },
  { row: "list-1000", of: "ours modern", to: "sdk modern", most: 0.14 },
  { row: "list-1000", of: "ours sessions", to: "sdk sessions", most: 0.13 },
  { row: "list-1000", of: "ours modern", to: "node", most: 2 },
  { row: "list-1000", of: "ours progress", to: "ours modern", most: 1.25 },
  { row: "list-1000", of: "ours extensions", to: "ours modern", most: 1.25 },
  { row: "list-1000", of: "ours stateless", to: "ours modern", most: 1.25 },
  { row: "list-5000-toggled", of: "ours modern", to: "sdk modern", most: 0.2 },
  { row: "read", of: "ours modern", to: "sdk modern", most: 0.7 },
  { row: "state-tool", of: "ours modern", to: "sdk modern", most: 0.9 },
  { row: "stdio-call", of: "ours", to: "sdk", most: 1.2 },
  { row: "stdio-call-16", of: "ours", to: "tmcp", most: 1.4 },
  { row: "in-memory-call", of: "ours", to: "sdk", most: 2 },
  { row: "start-stdio", of: "ours", to: "sdk", most: 1.4 },
  { row: "import", of: "ours", to: "sdk", most: 1.4 },
  { row: "fan-out", of: "ours modern", to: "sdk modern", most: 1.2 },
  { row: "latency", of: "ours modern", to: "sdk modern" },
]

/** The most kB of heap that one contestant may hold above another. */
export const heapLimits = [
  { row: "heap-session", of: "ours sessions", to: "sdk sessions", most: 5 },
  { row: "heap-get", of: "ours sessions", to: "sdk sessions", most: 5 },
  { row: "heap-listen", of: "ours modern", to: "sdk modern", most: 5 },
]
