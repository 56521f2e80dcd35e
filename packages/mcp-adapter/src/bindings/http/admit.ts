import type { AuthInfo } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { ReportClient } from "../server/client-report.js"
import { type Authenticate, isAnswer } from "./auth/authenticate.js"
import type { RequestExtra } from "./http-exchange.js"
import { createRequestRate, type RequestRate } from "./request-rate.js"
import { toClient } from "./to-caller.js"

/** Who is let in, and how often. */
export interface AdmitOptions {
  /**
   * Lets in who it knows, and answers strangers, for every request anew and before its body is looked at:
   * `bearer`, `apiKeys` or a function. Default: everybody is let in.
   */
  readonly authenticate?: Authenticate
  /**
   * Says who calls, where the host has refused strangers already and there is no `authenticate`. `undefined` is anonymous,
   * which is everybody by default; a throw is reported and answered with 500.
   */
  readonly principal?: (
    request: Request,
    authInfo: AuthInfo | undefined,
  ) => Principal | undefined | Promise<Principal | undefined>
  /**
   * How often a client, which is a principal or the address of who has none, may send a request; more is a 429. `false`
   * for no limit. Behind a proxy, anonymous clients are all one.
   */
  readonly requestRate?: RequestRate | false
}

/** Who is let in, or the answer for who is not. */
export type Admitted =
  | { readonly ok: true; readonly principal: Principal | undefined }
  | { readonly ok: false; readonly response: Response }

/** Decides about one request. */
export type Admit = (request: Request, extra: RequestExtra) => Promise<Admitted>

/**
 * Asks who it is, then counts. Strangers are refused uncounted, since they must not use up what others have; the operator
 * hears from where, and of nothing that they sent.
 */
export function createAdmit(options: AdmitOptions, tell: ReportClient): Admit {
  const { requestRate = {} } = options
  const count = requestRate === false ? () => undefined : createRequestRate(requestRate, tell)
  return async (request, extra) => {
    const who = await identify(options, request, extra)
    if (isAnswer(who)) {
      const stranger = toClient(undefined, extra)
      if (!who.ok) tell(stranger, { code: "auth_refused", message: toRefused(stranger, who.status) })
      return { ok: false, response: who }
    }
    const response = count(toClient(who, extra))
    return response ? { ok: false, response } : { ok: true, principal: who }
  }
}

function toRefused(stranger: string, status: number): string {
  return `"authenticate" refused a request from "${stranger}" with ${status}`
}

async function identify(
  { authenticate, principal }: AdmitOptions,
  request: Request,
  { authInfo }: RequestExtra,
): Promise<Principal | Response | undefined> {
  if (authenticate === undefined) return principal?.(request, authInfo)
  const who: unknown = await authenticate(request)
  // Code without types may give nothing for a stranger, which must not let it in.
  if (typeof who !== "object" || who === null) {
    throw new TypeError(`"authenticate" gave ${String(who)}, expected a principal or a response`)
  }
  return who as Principal | Response // what the type of `authenticate` says, and the line above has looked at
}
