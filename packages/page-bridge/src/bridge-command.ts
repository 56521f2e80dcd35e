#!/usr/bin/env node
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { action, createAgenticService, link } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { BridgeError } from "./host/bridge-error.js"
import { acceptPages } from "./node.js"
import { PAIRING_FRAGMENT } from "./pairing.js"

// `npx @x/page-bridge https://app.example`: for a host on this machine and an app on the web. The host starts it and speaks MCP over
// stdio; a tab of the app connects to it on loopback, by a link that only the person who asked for it gets.

const USAGE = "usage: page-bridge <address of the app> [further origins …], such as: page-bridge https://app.example"

async function main([address, ...more]: readonly string[]): Promise<void> {
  if (address === undefined || [address, ...more].some((one) => !/^https?:\/\//.test(one) || !URL.canParse(one)))
    throw new BridgeError(USAGE, { code: "invalid_option" })
  const server = createServer((_, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // It listens on a port, so its address has one.
  const { port } = server.address() as AddressInfo
  const pages = acceptPages(server, {
    origins: [...new Set([address, ...more].map((one) => new URL(one).origin))],
    hosts: [`127.0.0.1:${port}`, `localhost:${port}`],
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
            "Gives the link that opens the app connected to this host. Show it to the person and ask them to open it; it is for them alone",
          readOnly: true,
          output: { type: "object", properties: { link: { type: "string" } }, required: ["link"] },
          execute: () => ({ link: open.href }),
        }),
      },
      links: { pages: link({ description: "The apps that are open", service: pages }) },
    }),
    {
      instructions: `Works on pages of ${new URL(address).origin}. While none is open, call pairing_link and show the link.`,
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
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
  process.exitCode = 1
})
