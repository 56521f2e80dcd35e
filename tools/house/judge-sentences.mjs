// Measures prose: the share of sentences with mostly function words, and the share that begins with a pronoun such as "What" or
// "Nothing". Both are signs of sentences that describe things instead of naming them with the usual nouns.
import ts from "typescript"

/**
 * The most common words that carry grammar instead of meaning: articles, prepositions, forms of "to be", pronouns,
 * conjunctions.
 */
const FUNCTION_WORDS = new Set(
  `a an the of to in on at by for with from as is are was were be been being it its that this these those which who whom whose what
  where there here and or but not no nor if than then so one ones none nothing nobody something somebody anything anybody
  everything everybody`.split(/\s+/),
)

const BEGINS_WITH_PRONOUN = /^(what|whatever|who|whoever|whom|whose|where|wherever|whether|nothing|nobody|none)$/

/** The minimum share of function words in a sentence that counts as mostly function words. */
const MOSTLY = 0.55

/** Shorter sentences say too little to be measured: "Not at all." is good English. Longer ones are tables and lists. */
const SENTENCE = { fewestWords: 7, mostWords: 60 }

/** A word that stands for code in the measured text. */
const CODE = "Code"

/**
 * Splits prose into sentences and judges each one.
 *
 * @param blocks Paragraphs, each with its first line's number.
 * @returns One entry per sentence that is long enough: `{ line, text, mostly, pronoun }`.
 */
export function judgeSentences(blocks) {
  return blocks.flatMap(({ line, text, boolean }) =>
    sentencesOf(text).flatMap((sentence, index) => {
      const words = sentence.match(/[A-Za-z][A-Za-z'’-]*/g) ?? []
      if (words.length < SENTENCE.fewestWords || words.length > SENTENCE.mostWords) return []
      const first = words[0].toLowerCase()
      return {
        line,
        text: sentence,
        mostly: words.filter(isFunctionWord).length / words.length >= MOSTLY,
        // "Whether …" is allowed in the first sentence, because it describes booleans.
        pronoun: BEGINS_WITH_PRONOUN.test(first) && !(first === "whether" && index === 0 && boolean === true),
      }
    }),
  )
}

/** Returns the number of judged sentences and both shares. */
export function sharesOf(judged) {
  const share = (key) => (judged.length === 0 ? 0 : judged.filter((one) => one[key]).length / judged.length)
  return { sentences: judged.length, mostly: share("mostly"), pronoun: share("pronoun") }
}

/**
 * Returns the comments of a source as paragraphs: each block and tag of a doc comment, and consecutive line comments joined.
 */
export function commentsOf({ text, tree }) {
  const found = []
  const seen = new Set()
  const visit = (node) => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) add(range)
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) add(range)
    ts.forEachChild(node, visit)
  }
  const add = ({ pos, end }) => {
    if (seen.has(pos)) return
    seen.add(pos)
    const line = tree.getLineAndCharacterOfPosition(pos).line + 1
    const raw = text.slice(pos, end)
    if (/^\/\/ (biome-ignore|@ts-)|^\/\/\/|^\/\/#/.test(raw)) return
    found.push({ line, raw })
  }
  visit(tree)
  visit(tree.endOfFileToken)
  found.sort((one, other) => one.line - other.line)
  return joinLines(found).flatMap(({ line, raw }) => paragraphsOf(raw, line))
}

/** Consecutive `//` comments are one paragraph. */
function joinLines(found) {
  const joined = []
  let last
  for (const { line, raw } of found) {
    if (raw.startsWith("//") && last?.raw.startsWith("//") && line === last.until + 1) {
      last.raw += `\n${raw}`
      last.until = line
    } else {
      last = { line, raw, until: line }
      joined.push(last)
    }
  }
  return joined
}

function paragraphsOf(raw, line) {
  const body = raw.startsWith("/*") ? raw.replace(/^\/\*+/, "").replace(/\*+\/$/, "") : raw.replace(/^\/\/ ?/gm, "")
  const plain = body.replace(/^\s*\* ?/gm, "").replace(/```[\s\S]*?```/g, "")
  return splitParagraphs(plain, line).map((block) => ({ ...block, boolean: true }))
}

/**
 * Returns the strings of a source that people or models read, with a word replacing each template value:
 * `{ line, text, judged }`. These are strings that contain prose, and shorter ones where only a text can stand.
 */
export function textsOf(tree) {
  const found = []
  const visit = (node) => {
    const said = saidBy(node)
    if (said !== undefined && !ts.isImportDeclaration(node.parent) && (isProse(said) || isText(node, said)))
      found.push({
        line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1,
        text: said.replace(/\s+/g, " ").trim(),
        judged: judgeSentences([{ line: 1, text: said.replace(/\s+/g, " ") }]),
      })
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** Returns the text of a string, template or JSX node. */
function saidBy(node) {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text
  return ts.isTemplateExpression(node) ? templateText(node) : undefined
}

function templateText(node) {
  return node.head.text + node.templateSpans.map(({ literal }) => CODE + literal.text).join("")
}

/** Whether a string of any length stands where only a text can: in JSX, in an error, in a printed line, as a description. */
function isText(node, said) {
  if (!/[A-Za-z]{2}/.test(said)) return false
  const { parent } = node
  if (ts.isJsxText(node)) return true
  if (ts.isJsxAttribute(parent)) return TEXT_NAMES.test(parent.name.getText())
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node && TEXT_NAMES.test(parent.name.getText())
  if (ts.isNewExpression(parent)) return /Error$/.test(parent.expression.getText())
  return ts.isCallExpression(parent) && /^(fail|console\.(log|info|warn|error))$/.test(parent.expression.getText())
}

/** The names of members and attributes whose values are texts. */
const TEXT_NAMES = /^["']?(message|description|title|recovery|otherwise|says|label|placeholder|aria-label)["']?$/

/** Whether a string has at least four words of letters, like a message and unlike a selector, a path or markup. */
function isProse(text) {
  const words = text.trim().split(/\s+/)
  return (
    words.length >= 4 &&
    words.filter((word) => /^["'(`]?[A-Za-z][A-Za-z'’-]*[.,:;?!)"'`]*$/.test(word)).length >= words.length * 0.6
  )
}

/** Returns the prose of a Markdown document as paragraphs, without code, table rulers, heading marks and link targets. */
export function proseOf(markdown) {
  const plain = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, (head) => head.replace(/[^\n]/g, ""))
    .replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ""))
    .replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ""))
    .replace(/<[^>\n]+>/g, "")
    .replace(/^\s*#+ .*$/gm, "")
    .replace(/^\|[-:| ]+\|$/gm, "")
  // Each table cell and each list item counts as a paragraph.
  const apart = plain.replace(/^\|.*$/gm, (row) => row.replace(/\|/g, ".  "))
  return splitParagraphs(apart, 1)
}

function splitParagraphs(text, line) {
  const blocks = []
  let current
  text.split("\n").forEach((content, index) => {
    const starts = /^\s*([-*+]|\d+\.|@\w+|>|\. {2})\s?/.test(content)
    if (content.trim() === "") current = undefined
    else if (current === undefined || starts) {
      current = { line: line + index, text: clean(content) }
      blocks.push(current)
    } else current.text += ` ${clean(content)}`
  })
  return blocks
}

function clean(line) {
  return line
    .replace(/^\s*(@param\s+\S+|@throws\s*(\{[^}]*\})?|@typeParam\s+\S+|@\w+|[-*+] |\d+\. |> )\s*-?\s*/, "")
    .trim()
}

function sentencesOf(text) {
  const plain = text
    .replace(/\{@link(code|plain)? [^}]*\}/g, CODE)
    .replace(/`[^`]*`/g, CODE)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/https?:\/\/\S+/g, CODE)
    .replace(/\b(e\.g|i\.e|cf|vs|etc)\./g, "$1")
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, "")
  return plain.split(/(?<=[.!?])["')\]]*\s+(?=["'([]*[A-Z0-9])/).map((sentence) => sentence.trim())
}

function isFunctionWord(word) {
  const lower = word.toLowerCase().replace(/[’]/g, "'")
  return FUNCTION_WORDS.has(lower) || FUNCTION_WORDS.has(lower.replace(/(n't|'s|'re|'ve|'ll|'d|'m)$/, ""))
}
