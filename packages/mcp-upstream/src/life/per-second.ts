/**
 * Creates a rate limiter: runs up to `most` functions a second and drops the rest. The number dropped is reported with the
 * first later one. Keeps a server that floods us from flooding anybody else.
 */
export function createPerSecond(most: number, leftOut: (count: number) => void): (tell: () => void) => void {
  let second = 0
  let told = 0
  return (tell) => {
    const now = Math.floor(Date.now() / 1_000)
    if (now !== second) {
      if (told > most) leftOut(told - most)
      second = now
      told = 0
    }
    told += 1
    if (told <= most) tell()
  }
}
