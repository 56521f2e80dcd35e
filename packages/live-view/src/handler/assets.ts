import type { Visitor } from "@x/mcp-adapter/fetch"
import { LiveViewError } from "../live-view-error.js"

/** A file of the page. */
interface Asset {
  /** Its media type. */
  readonly type: string
  /** Its text. */
  readonly text: string
}

/** Answers with a file of the page; those but the first have names that change with what is in them. */
export async function sendAsset(visitor: Visitor, name: string): Promise<void> {
  const asset = await findAsset(name || "index.html")
  if (asset === undefined)
    return visitor.send({ status: 404, headers: { "content-type": "text/plain" }, body: "Not Found" })
  const lasting = /-[\w-]{8}\.\w+$/.test(name)
  visitor.send({
    status: 200,
    headers: {
      "content-type": asset.type,
      "cache-control": lasting ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
    body: asset.text,
  })
}

/** Finds a file by its name, which always has an ending. */
async function findAsset(name: string): Promise<Asset | undefined> {
  if (!/\.\w+$/.test(name)) return undefined
  const assets = await loadAssets()
  return Object.hasOwn(assets, name) ? assets[name] : undefined
}

/** Nothing but what comes from here; styles are written by the form as well. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

let loading: Promise<Readonly<Record<string, Asset>>> | undefined

/** A module, and no files, so that it is there in whatever a bundler makes of it. */
function loadAssets(): Promise<Readonly<Record<string, Asset>>> {
  loading ??= import("#page").then(
    ({ assets }) => assets,
    (cause: unknown) => {
      loading = undefined
      throw new LiveViewError("not_built", "the page of the live view is not built: run the build of @x/live-view", {
        cause,
      })
    },
  )
  return loading
}
