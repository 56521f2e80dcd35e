#!/usr/bin/env node
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { action, createAgenticService, link } from "@x/agentic-service"
import { cleanText, toMessage } from "@x/base"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { PAIRING_FRAGMENT } from "./bridge-frames.js"
import { BridgeError } from "./host/bridge-error.js"
import { acceptPages } from "./node.js"

// `npx @x/page-bridge https://app.example` connects a host on this machine to an app on the web. The host starts it and speaks
// MCP over stdio. A tab of the app connects to it on loopback, through a link that only the requesting person gets.

const USAGE = "usage: page-bridge <address of the app> [further origins …], such as: page-bridge https://app.example"

async function main([address, ...more]: readonly string[]): Promise<void> {
  if (address === undefined || [address, ...more].some((one) => !/^https?:\/\//.test(one) || !URL.canParse(one)))
    throw new BridgeError(USAGE, { code: "invalid_option" })
  const server = createServer((_, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  const pages = acceptPages(server, {
    allowedOrigins: [...new Set([address, ...more].map((one) => new URL(one).origin))],
    allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
  })
  const open = new URL(address)
  open.hash = `${PAIRING_FRAGMENT}${port}.${pages.token}`
  const adapter = createMcpAdapter(
    createAgenticService({
      name: "page-bridge",
      description: `Pages of ${new URL(address).origin} that the person has open`,
      actions: {
        pairing_link: action({
          description:
            "Returns a link that opens the app and connects it to this host. Show the link to the person and ask them to open it. It is for that person only",
          readOnly: true,
          output: { type: "object", properties: { link: { type: "string" } }, required: ["link"] },
          execute: () => ({ link: open.href }),
        }),
      },
      links: { pages: link({ description: "The open apps", service: pages }) },
    }),
    {
      instructions: `Works on pages of ${new URL(address).origin}. If no page is open, call pairing_link and show the link to the person.`,
    },
  )
  process.stderr.write(`page-bridge: open ${open.href}\n`)
  serveStdio(adapter, {
    exit: true,
    onExit() {
      pages.close()
      server.closeAllConnections()
      server.close()
    },
  })
}

main(process.argv.slice(2)).catch((thrown: unknown) => {
  process.stderr.write(`${cleanText(toMessage(thrown))}\n`)
  process.exitCode = 1
})
