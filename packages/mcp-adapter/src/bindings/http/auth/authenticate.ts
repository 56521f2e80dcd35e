import type { Principal } from "@x/agentic-service"

/**
 * Says who sends a request, by its headers alone, or gives the answer that ends it: a refusal, or a document that anybody
 * may read. A throw is our fault: it is reported, and answered with 500. The body is not to be read.
 */
export type Authenticate = (request: Request) => Principal | Response | Promise<Principal | Response>

/** Tells an answer by what it lacks, because a host may have a `Response` of its own. */
export function isAnswer(who: Principal | Response | undefined): who is Response {
  return who !== undefined && !("id" in who)
}
