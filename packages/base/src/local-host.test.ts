import { isIP } from "node:net"
import ipaddr from "ipaddr.js"
import { describe, expect, it } from "vitest"
import { isLocalHost, isLoopbackAddress, LOCAL_HOSTS } from "./local-host.js"

const ADDRESSES = [
  "127.0.0.1",
  "127.255.0.9",
  "::1",
  "::ffff:127.0.0.1",
  "10.0.0.1",
  "128.0.0.1",
  "::2",
  "0.0.0.0",
  "::ffff:10.0.0.1",
]

describe("isLocalHost", () => {
  it.each(ADDRESSES)("agrees with ipaddr.js on %s", (address) => {
    expect(isIP(address)).not.toBe(0)
    expect(isLoopbackAddress(address)).toBe(ipaddr.process(address).range() === "loopback")
    expect(isLocalHost(address)).toBe(isLoopbackAddress(address))
  })

  it("takes no name for an address", () => {
    expect(["localhost", "app.localhost", ""].some(isLoopbackAddress)).toBe(false)
  })

  it("knows every local name of a URL and no name that only looks like one", () => {
    expect(LOCAL_HOSTS.filter(isLocalHost)).toEqual(LOCAL_HOSTS)
    expect(["app.localhost", "LOCALHOST"].every(isLocalHost)).toBe(true)
    expect(["localhost.example.com", "127.0.0.1.example.com", "notlocalhost", ""].some(isLocalHost)).toBe(false)
  })
})
