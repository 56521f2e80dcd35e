/** The names of all profiles. Apart from the profiles themselves, so that a page can list them without the rules. */
export const profileNames = ["portable", "anthropic", "openai", "openai-strict", "gemini", "verbatim"] as const

/** The name of a profile. */
export type ProfileName = (typeof profileNames)[number]
