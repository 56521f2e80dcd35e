// The child process of tests of a call's life. The argument contains limits of calls; the journal goes to stderr.
import { serveStdio } from "@x/mcp-adapter/stdio"
import { createLab } from "./lab.mjs"

const tell = (line) => process.stderr.write(`${line}\n`)
const { adapter } = createLab(JSON.parse(process.argv[2]), tell)
await serveStdio(adapter, { results: { catchUp: false } }).closed
adapter.close()
tell(`held ${JSON.stringify(adapter.ledger.counts())}`)
