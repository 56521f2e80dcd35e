/** The names by which a machine reaches itself, as they stand in a URL. */
export const LOCAL_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"]

const LOOPBACK = /^(\[?::1\]?|(\[?::ffff:)?127(\.\d{1,3}){3}\]?)$/i

/**
 * Returns whether an address is one of this machine: 127.0.0.0/8, also as IPv6 writes it, or `::1`. Names are not, since whoever
 * sends a header can write any.
 *
 * @example
 * ```ts
 * import { isLoopbackAddress } from "@x/base"
 *
 * console.log(isLoopbackAddress("127.0.0.1"), isLoopbackAddress("localhost")) // true false
 * ```
 */
export function isLoopbackAddress(address: string): boolean {
  return LOOPBACK.test(address)
}

/**
 * Returns whether a host name or address always is this machine: `localhost` and names below it, 127.0.0.0/8 and `::1`, with or
 * without brackets, and the IPv4 addresses as IPv6 writes them.
 *
 * @example
 * ```ts
 * import { isLocalHost } from "@x/base"
 *
 * console.log(isLocalHost("127.0.0.1"), isLocalHost("example.com")) // true false
 * ```
 */
export function isLocalHost(host: string): boolean {
  return isLoopbackAddress(host) || /^(.+\.)?localhost$/i.test(host)
}
