import type { Failure } from "@x/agentic-service"
import { cleanLine } from "@x/base"
import type { ActiveCall, AskedCall } from "../active-call.js"
import { toConfirm } from "./question-form.js"

/** The JSON-RPC code for a returned state that is not the one given (2026-07-28, basic/patterns/mrtr). */
const INVALID_PARAMS = -32_602

/** Creates the failure of a call to which the person said no. */
export function declined({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "declined",
    message: `the person declined "${subject.name}", so it did not run`,
    recovery: "do not call it again unless the person asks for it",
  }
}

/** Creates the failure of a question that the client closed without an answer (2025-11-25, client/elicitation: `cancel`). */
export function undecided({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "undecided",
    message: `the person closed the question about "${subject.name}" without an answer, so it did not run`,
    recovery: "ask the person whether they still want this, and repeat the call if they do",
  }
}

/** Creates the failure of an answer that belongs to another call, or was modified. */
export function foreign({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "invalid_input",
    message: `the answer does not belong to this call of "${subject.name}", so it did not run`,
    recovery: "repeat the call without the state of an earlier answer",
    refusal: { code: INVALID_PARAMS },
  }
}

/** Creates the failure of an answer that reached two processes in a row that had not asked. */
export function askedElsewhere({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "confirmation_unavailable",
    message: `another process of this server asked about "${subject.name}", so it did not run`,
    recovery:
      'ask the person to do it in the application; the operator can set "questions.answeredBy" to "any" and give services an "id", so that any process accepts an answer',
  }
}

/** Creates the failure of a question that the client accepted by itself. */
export function unseen({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "confirmation_unavailable",
    message: `the client accepted "${subject.name}" without the field that a person fills in, so it did not run`,
    recovery: "ask the person to do it in the application, or to turn on the client's forms",
  }
}

/** Creates the failure of an answer for which the memory has no room. */
export function busy({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "busy",
    message: `the limit of remembered answers is reached, so "${subject.name}" did not run`,
    recovery: "repeat the call with the same answer in a minute",
  }
}

/** Creates the failure of an answer that another process took, or this one before a restart. */
export function ranElsewhere({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "ran_already",
    message: `this answer was used before, in another process or before a restart, so "${subject.name}" did not run again`,
    recovery:
      "read the state to see the effect; to run it again, repeat the call without the state of an earlier answer",
  }
}

/** Creates the failure of an answer that cannot be claimed, because the record store fails. */
export function unclaimable({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "busy",
    message: `the server cannot record the answer now, so "${subject.name}" did not run`,
    recovery: "repeat the call with the same answer in a minute",
  }
}

/** Creates the failure that asks the model to confirm with a token. */
export function toBeConfirmed({ subject, target, item }: ActiveCall, { questions, state }: AskedCall): Failure {
  const args = item === undefined ? "the same arguments" : `the same arguments except "${item}"`
  const same = target === undefined ? `${args}${item === undefined ? "" : ","}` : `${args} and target,`
  return {
    ok: false,
    code: "confirmation_needed",
    message: `action "${subject.name}" did not run yet: ${cleanLine(toConfirm(questions) ?? "it needs a confirmation")}`,
    recovery: `ask the person; if they agree, call "run_action" with this name, ${same} and "confirm": ${JSON.stringify(state)}`,
  }
}

/** Creates the failure of a call whose client cannot ask a person. */
export function unavailable({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "confirmation_unavailable",
    message: `action "${subject.name}" needs a person's answer before it runs, and this client cannot ask for it`,
    recovery: "ask the person to do it in the application, or to connect a client that supports MCP elicitation",
  }
}
