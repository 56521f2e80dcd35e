import type { JSONRPCMessage } from "@modelcontextprotocol/client"

export function answerIn(era: string | undefined, message: unknown): readonly JSONRPCMessage[]
