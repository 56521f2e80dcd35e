/** How long a call may take, the person's answer included, in milliseconds. The server sets it and the page counts it down. */
export const CALL_MS = 60_000
