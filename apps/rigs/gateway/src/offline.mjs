// Lets a server reach this machine only: no answer depends on the network, and the servers' vendors get no requests.
import dns from "node:dns"

const LOCAL = ["localhost", "127.0.0.1", "::1"]
const { lookup } = dns

dns.lookup = (host, ...rest) => {
  if (LOCAL.includes(host)) return lookup(host, ...rest)
  const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND", hostname: host })
  return process.nextTick(rest.at(-1), error)
}
