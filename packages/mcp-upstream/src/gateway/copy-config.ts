import type { GatewayConfig } from "./gateway-config.js"

/**
 * Copies a configuration into plain objects without undefined members. A gateway compares its configuration with the next one:
 * a caller that changes its object or reads it with another parser must not hide a change, or cause one.
 */
export function copyConfig(config: GatewayConfig): GatewayConfig {
  // A copy has the members of the original.
  return copy(config) as GatewayConfig
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([key, member]) => [key, copy(member)]))
}
