/** Returns the median and the lower and upper quartile. */
export function quartiles(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other)
  return { median: at(sorted, 0.5), from: at(sorted, 0.25), to: at(sorted, 0.75) }
}

/** Interpolates between two numbers. */
function at(sorted, share) {
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return below + (above - below) * (place - Math.floor(place))
}
