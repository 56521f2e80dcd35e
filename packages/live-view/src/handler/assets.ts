import type { Visitor } from "@x/mcp-adapter/fetch"
import { LiveViewError } from "../live-view-error.js"

/** A file of the page. */
interface Asset {
  /** The media type. */
  readonly type: string
  /** The text. */
  readonly text: string
}

/** Sends a file of the page. All files but the first have content hashes in their names. */
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

/** Finds a file by name. Names without an extension are never files. */
async function findAsset(name: string): Promise<Asset | undefined> {
  if (!/\.\w+$/.test(name)) return undefined
  const assets = await loadAssets()
  return Object.hasOwn(assets, name) ? assets[name] : undefined
}

/** Allows only files of this server. The form library also sets inline styles. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

let loading: Promise<Readonly<Record<string, Asset>>> | undefined

/** Imports the files as a module instead of reading them, so that bundlers include them. */
function loadAssets(): Promise<Readonly<Record<string, Asset>>> {
  loading ??= import("#page").then(
    ({ assets }) => assets,
    (cause: unknown) => {
      loading = undefined
      throw new LiveViewError("the live view's page is not built: run the build of @x/live-view", {
        code: "not_built",
        cause,
      })
    },
  )
  return loading
}
