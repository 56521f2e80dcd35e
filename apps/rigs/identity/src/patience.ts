/**
 * Time to wait for anything that must happen. All waits end with their event, so that only a fault takes this long, and a busy
 * machine is no fault. In a file of its own because steps and subscriptions both wait.
 */
export const PATIENCE_MS = 30_000
