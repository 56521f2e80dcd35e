// Plays one library in a process of its own, so that no other library's globals interfere. Prints the result as a line of JSON.
import { playCondition } from "./play-condition.mjs"
import { playError } from "./play-error.mjs"
import { playLife } from "./play-life.mjs"
import { playRefusal } from "./play-refusal.mjs"
import { toOneLine } from "./to-one-line.mjs"

const SCENES = { playLife, playError, playCondition }

const module = await import(new URL(`../libraries/${process.argv[2]}.mjs`, import.meta.url).href)
const library = { ...module, keepsInside: module.inner !== undefined, inner: forgiving(module.inner) }

const escaped = []
process.on("uncaughtException", (error) => escaped.push(`nobody caught: ${error?.message ?? error}`))
process.on("unhandledRejection", (error) => escaped.push(`nobody handled: ${error?.message ?? error}`))

const { title, packages = [process.argv[2]] } = module
const result = library.line === undefined ? await playBare() : await playLine()
console.log(JSON.stringify({ title, packages, ...result, complaints: [...result.complaints, ...escaped] }))
process.exit()

async function playBare() {
  return { as: "bare", complaints: await playAll(({ source }) => source) }
}

/** Plays a library with its adapter line, and checks that it is refused without. */
async function playLine() {
  const refused = await complaintsOf((complain) => playRefusal(library, complain))
  const followed = await playAll(library.line)
  return {
    as: "line",
    line: toOneLine(library.line),
    words: refused.result,
    complaints: [...refused.complaints, ...followed],
  }
}

/** Plays every scene, each with a new store. */
async function playAll(toSource) {
  const complaints = []
  for (const scene of Object.values(SCENES))
    complaints.push(...(await complaintsOf((complain) => scene(library, toSource, complain))).complaints)
  return complaints
}

async function complaintsOf(scene) {
  const complaints = []
  try {
    const result = await scene((unless, text) => void (unless || complaints.push(text)))
    return { complaints, result }
  } catch (error) {
    return { complaints: [...complaints, `threw: ${error?.stack ?? error}`] }
  }
}

/** Unwraps a store's value with `inner`. Returns other values as they are. */
function forgiving(inner) {
  return (value) => {
    try {
      return inner === undefined || value === undefined ? value : inner(value)
    } catch {
      return value
    }
  }
}
