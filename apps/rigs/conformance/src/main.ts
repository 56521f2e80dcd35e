import { serveBridge } from "./bridge/serve-bridge.js"
import { checkAlive } from "./run/check-alive.js"
import { exceptionsFor } from "./run/exceptions.js"
import { installTools } from "./run/install-tools.js"
import { judge } from "./run/judge.js"
import { passed, printJudgement } from "./run/print-judgement.js"
import { runClients } from "./run/run-clients.js"
import { runSuite } from "./run/run-suite.js"
import { serveBunLeg, serveWorkerdLeg } from "./run/serve-fetch-legs.js"
import { serveGatewayLeg } from "./run/serve-gateway-leg.js"
import { serveHttpLeg } from "./run/serve-http-leg.js"
import { serveProxyLeg } from "./run/serve-proxy-leg.js"
import { suites } from "./run/suites.js"

const LEGS = {
  http: serveHttpLeg,
  bun: serveBunLeg,
  workerd: serveWorkerdLeg,
  stdio: serveBridge,
  proxy: serveProxyLeg,
  gateway: serveGatewayLeg,
}
const NAMES: readonly (keyof typeof LEGS)[] = ["http", "bun", "workerd", "stdio", "proxy", "gateway"]

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})

/**
 * Runs every official suite on every leg, or on the named legs: `pnpm rig conformance stdio`. The leg `client` tests our
 * clients, compared with the SDK's.
 */
async function main(): Promise<void> {
  installTools()
  const wanted = process.argv.slice(2)
  for (const leg of NAMES) {
    if (wanted.length > 0 && !wanted.includes(leg)) continue
    if (!(await runLeg(leg))) process.exitCode = 1
  }
  if ((wanted.length === 0 || wanted.includes("client")) && !(await runClients())) process.exitCode = 1
}

async function runLeg(name: keyof typeof LEGS): Promise<boolean> {
  let good = true
  for (const suite of suites) {
    const leg = await LEGS[name](suite)
    await checkAlive(leg.url)
    const checks = await runSuite(suite, name, leg.url)
    await checkAlive(leg.url)
    await leg.close()
    const judgement = judge({ checks, scored: suite.scored(), exceptions: exceptionsFor(name, suite.name) })
    printJudgement(`${name}, ${suite.name}`, judgement)
    good &&= [...judgement.scored, ...judgement.unscored].every(passed)
  }
  return good
}
