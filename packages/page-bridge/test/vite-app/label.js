export const label = "first"
