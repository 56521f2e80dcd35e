/**
 * Lets so much through within a second; of what comes beyond that, how much it was is told with the next that comes later. What
 * floods us floods nobody else.
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
