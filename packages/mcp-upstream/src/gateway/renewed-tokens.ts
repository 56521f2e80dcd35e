import type { AuthProvider } from "@modelcontextprotocol/client"

/** The SDK's report of a rejected request. */
export type UnauthorizedContext = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0]

/** A token, and the way to renew it. */
export interface RenewedTokensOptions {
  /** Returns the current token. */
  token(): string | undefined
  /** Obtains another token after a rejected request. */
  renew(context: UnauthorizedContext): Promise<void>
}

/** Creates a provider that sends a token. A rejected token is renewed once for all its requests. */
export function createRenewedTokens({ token, renew }: RenewedTokensOptions): AuthProvider {
  let used: string | undefined
  let renewing: Promise<void> | undefined
  const renewOnce = async (context: UnauthorizedContext): Promise<void> => {
    const now = token()
    // Another request, sign-in or process has replaced the token meanwhile.
    if (now !== undefined && now !== used) return
    await renew(context)
  }
  return {
    async token() {
      used = token()
      return used
    },
    onUnauthorized(context) {
      renewing ??= renewOnce(context).finally(() => {
        renewing = undefined
      })
      return renewing
    },
  }
}
