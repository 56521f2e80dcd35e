/** Creates a gate at which calls wait until released. */
export function createGate() {
  const waiting: { readonly call: number; readonly open: () => void }[] = []
  return {
    /** Whether a call waits. */
    holds: (call: number): boolean => waiting.some((each) => each.call === call),
    isEmpty: (): boolean => waiting.length === 0,
    wait: (call: number) =>
      new Promise<void>((open) => {
        waiting.push({ call, open })
      }),
    /** Releases the first waiting call. */
    letOn: (): void => waiting.shift()?.open(),
  }
}
