// Programs published by vendors that check our tool schemas, as an independent oracle.
import { anthropic } from "./anthropic.mjs"
import { googleGenai } from "./google-genai.mjs"
import { llamaCpp } from "./llama-cpp.mjs"
import { mastra } from "./mastra.mjs"
import { openaiStrict } from "./openai-strict.mjs"
import { sdkV1 } from "./sdk-v1.mjs"

/**
 * @typedef {object} Asked
 * @property {string} name the schema's name in the output
 * @property {object} schema the published schema
 * @property {readonly unknown[]} values valid arguments
 */

/**
 * @typedef {object} Vendor
 * @property {string} name the program, with its version
 * @property {readonly string[] | "all"} profiles the profiles for this vendor, or "all"
 * @property {(asked: readonly Asked[], profile: string) => Promise<readonly (readonly string[])[]>} judge each schema's faults
 * @property {object} refused a schema that it must reject, to prove that it checks anything
 */

/** llama.cpp's libraries for other platforms are not published in a form that this rig can link. */
const hasLlama = process.platform === "linux" && process.arch === "x64"
if (!hasLlama) console.log("llama.cpp is skipped: it needs Linux on x64")

/** @type {readonly Vendor[]} */
const ALL = [openaiStrict, ...mastra, googleGenai, anthropic, sdkV1, ...(hasLlama ? [llamaCpp] : [])]

/** Runs all vendors of a profile. Returns the faults that each found. */
export async function askVendors(asked, profile) {
  const found = []
  for (const vendor of ALL.filter(({ profiles }) => profiles === "all" || profiles.includes(profile))) {
    const problems = await vendor.judge(asked, profile)
    const faults = problems.flatMap((each, index) => each.map((problem) => `${asked[index].name}: ${problem}`))
    found.push({ vendor: vendor.name, asked: asked.length, faults })
  }
  return found
}

/** Returns the vendors that accept the schema that they must reject. */
export async function blindVendors() {
  const blind = []
  for (const vendor of ALL) {
    const profile = vendor.profiles === "all" ? "portable" : vendor.profiles[0]
    const [problems] = await vendor.judge([{ name: "refused", schema: vendor.refused, values: [] }], profile)
    if (problems.length === 0) blind.push(vendor.name)
  }
  return blind
}
