/** Response headers that a page of any origin may read (Fetch standard, "CORS-safelisted response-header name"). */
const READABLE = [
  "cache-control",
  "content-language",
  "content-length",
  "content-type",
  "expires",
  "last-modified",
  "pragma",
]

/**
 * Creates a `fetch` that enforces CORS like a browser does for a page of `origin`: it sends preflights, rejects forbidden
 * requests and responses, and hides headers that are not exposed.
 *
 * @param said - Receives the messages of a browser's console.
 */
export function createBrowserFetch(origin, said) {
  const blocked = (reason) => {
    said(`blocked by CORS policy: ${reason}`)
    return new TypeError("Failed to fetch")
  }
  const checkOrigin = ({ headers }) => {
    const allowed = headers.get("access-control-allow-origin")
    if (allowed !== "*" && allowed !== origin)
      throw blocked(`Access-Control-Allow-Origin is "${allowed}", not "${origin}"`)
  }
  const ask = async ({ url, method, headers }) => {
    const custom = [...headers.keys()].filter((name) => !isSafe(name, headers.get(name))).sort()
    if (custom.length === 0 && ["GET", "HEAD", "POST"].includes(method)) return
    const asked = { origin, "access-control-request-method": method }
    if (custom.length > 0) asked["access-control-request-headers"] = custom.join(",")
    const answer = await fetch(url, { method: "OPTIONS", headers: asked })
    if (!answer.ok) throw blocked(`the preflight was answered with ${answer.status}`)
    checkOrigin(answer)
    const methods = listOf(answer, "access-control-allow-methods")
    if (!["get", "head", "post", ...methods].includes(method.toLowerCase()) && !methods.includes("*"))
      throw blocked(`method ${method} is not allowed by Access-Control-Allow-Methods`)
    const allowed = listOf(answer, "access-control-allow-headers")
    const missing = custom.find(
      (name) => !allowed.includes(name) && (name === "authorization" || !allowed.includes("*")),
    )
    if (missing !== undefined) throw blocked(`header ${missing} is not allowed by Access-Control-Allow-Headers`)
  }
  return async (input, init) => {
    const request = new Request(input, init)
    await ask(request)
    const answer = await fetch(request, { headers: { ...Object.fromEntries(request.headers), origin } })
    checkOrigin(answer)
    const exposed = listOf(answer, "access-control-expose-headers")
    const shown = [...answer.headers].filter(
      ([name]) => exposed.includes(name) || exposed.includes("*") || READABLE.includes(name),
    )
    return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers: shown })
  }
}

function isSafe(name, value) {
  if (name === "content-type")
    return /^(text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)/.test(value)
  return ["accept", "accept-language", "content-language"].includes(name)
}

function listOf({ headers }, name) {
  return (headers.get(name) ?? "").split(",").map((each) => each.trim().toLowerCase())
}
