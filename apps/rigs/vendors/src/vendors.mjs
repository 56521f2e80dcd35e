// Programs that vendors publish, each asked what it makes of tool schemas: a second opinion, of which nothing was written here.
import { anthropic } from "./anthropic.mjs"
import { googleGenai } from "./google-genai.mjs"
import { llamaCpp } from "./llama-cpp.mjs"
import { mastra } from "./mastra.mjs"
import { openaiStrict } from "./openai-strict.mjs"
import { sdkV1 } from "./sdk-v1.mjs"

/**
 * @typedef {object} Asked
 * @property {string} name what the schema is called in the output
 * @property {object} schema as it is published
 * @property {readonly unknown[]} values arguments that it takes
 */

/**
 * @typedef {object} Vendor
 * @property {string} name the program, with its version
 * @property {readonly string[]} profiles what is published for it
 * @property {(asked: readonly Asked[], profile: string) => Promise<readonly (readonly string[])[]>} judge what is wrong with each
 * @property {object} refused a schema that it has something against: one that takes everything judges nothing
 */

/** Libraries of llama.cpp are published for other machines too, but not in a form that can be linked with as here. */
const hasLlama = process.platform === "linux" && process.arch === "x64"
if (!hasLlama) console.log("llama.cpp is left out: that takes Linux on x64")

/** @type {readonly Vendor[]} */
const ALL = [openaiStrict, ...mastra, googleGenai, anthropic, sdkV1, ...(hasLlama ? [llamaCpp] : [])]

/** Has every vendor of a profile judge: what each found, by its name. */
export async function askVendors(asked, profile) {
  const found = []
  for (const vendor of ALL.filter(({ profiles }) => profiles.includes(profile))) {
    const problems = await vendor.judge(asked, profile)
    const faults = problems.flatMap((each, index) => each.map((problem) => `${asked[index].name}: ${problem}`))
    found.push({ vendor: vendor.name, asked: asked.length, faults })
  }
  return found
}

/** The vendors that have nothing against what they have to refuse. */
export async function blindVendors() {
  const blind = []
  for (const vendor of ALL) {
    const [problems] = await vendor.judge([{ name: "refused", schema: vendor.refused, values: [] }], vendor.profiles[0])
    if (problems.length === 0) blind.push(vendor.name)
  }
  return blind
}
