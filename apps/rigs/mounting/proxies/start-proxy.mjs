import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { connect } from "node:tls"
import { bringProgram } from "./bring-program.mjs"

const GUIDE = new URL("../../../../docs/guides/deploy.md", import.meta.url)

/** The proxies of the guide: how each takes the guide's configuration on a free port of this machine. */
export const PROXIES = {
  nginx: {
    heading: "nginx",
    prepare: ({ text, port, folder }) => ({
      text: `daemon off; pid ${folder}/pid; error_log stderr warn;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
  ${text.replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)}
}`,
      args: (file) => ["-c", file, "-p", folder, "-e", "stderr"],
    }),
  },
  caddy: {
    heading: "Caddy",
    prepare: ({ text, port, folder }) => ({
      text: `{
  admin off
  skip_install_trust
  auto_https disable_redirects
  grace_period 1s
  log {
    level ERROR
  }
  storage file_system ${folder}/storage
}
${text.replace("localhost {", `localhost:${port} {\n  bind 127.0.0.1\n  tls ${folder}/site.pem ${folder}/site.key`)}`,
      args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
    }),
  },
}

/**
 * Starts a proxy with the guide's configuration. Replaces only its host name, ports and certificate files.
 */
export async function startProxy(name, { port, upstream, folder }) {
  const { heading, prepare } = PROXIES[name]
  const text = readConfiguration(heading)
    .replaceAll("mcp.example", "localhost")
    .replaceAll(/\/etc\/ssl\/localhost\.(pem|key)/g, `${folder}/site.$1`)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${upstream}`)
  const file = join(folder, `${name}.conf`)
  const { text: prepared, args } = prepare({ text, port, folder })
  writeFileSync(file, prepared)
  const child = spawn(bringProgram(name), args(file), {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, HOME: folder },
  })
  const ended = once(child, "exit")
  await Promise.race([answers(port), ended.then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)))])
  return {
    async close() {
      child.kill("SIGTERM")
      await ended
    },
  }
}

/** Returns the guide's block below a heading. */
function readConfiguration(heading) {
  const found = new RegExp(`^### ${heading}$[\\s\\S]*?^\`\`\`\\w+\\n([\\s\\S]*?)^\`\`\``, "m").exec(
    readFileSync(GUIDE, "utf8"),
  )
  if (found === null) throw new Error(`found no configuration below "### ${heading}" in docs/guides/deploy.md`)
  return found[1]
}

/** Writes a certificate for `localhost` that signs itself. */
export function writeCertificate(folder) {
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
  const files = ["-keyout", join(folder, "site.key"), "-out", join(folder, "site.pem")]
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...names, ...files], {
    stdio: "ignore",
  })
  return join(folder, "site.pem")
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  await once(server, "close")
  return port
}

/** Tries until the proxy takes connections, since nothing reports it. */
async function answers(port) {
  for (;;) {
    const socket = connect({ port, host: "127.0.0.1", servername: "localhost", rejectUnauthorized: false })
    const isOpen = await Promise.race([
      once(socket, "secureConnect").then(() => true),
      once(socket, "close").then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
