/**
 * The rigs by name. Each row has a description, and may name the workspace packages to install, folders to build, pages to
 * bundle, whether it needs a browser, a folder whose package.json npm installs once (`into`), and the commands to run.
 */
export const RIGS = {
  agents: {
    says: "compiles agents with Bun and completes them in bash, zsh and fish",
    packages: ["@x/agents-rig..."],
    builds: ["packages/service-cli", "apps/rigs/runtimes"],
    runs: { vitest: ["--config", "apps/rigs/agents/vitest.config.ts"] },
  },
  clients: {
    says: "runs real clients and writes docs/clients.md; a name runs one client",
    packages: ["@x/client-tests...", "@x/hosts...", "@x/runtimes"],
    builds: ["apps/demo", "apps/rigs/runtimes"],
    brings: { into: "apps/rigs/clients/drivers", what: "the clients (about 200 MB, once)" },
    runs: { file: "apps/rigs/clients/src/main.mjs", recent: true },
  },
  conformance: {
    says: "runs the official suites over every transport, or the named ones: http, gateway, …; client: ours beside the SDK's",
    packages: ["@x/conformance..."],
    builds: ["apps/rigs/conformance"],
    runs: { file: "apps/rigs/conformance/dist/main.js" },
  },
  ends: {
    says: "calls every public close at ten moments, each in its own process",
    runs: { vitest: ["--config", "vitest.rigs.ts", "--project", "ends"] },
  },
  gateway: {
    says: "sends requests to public MCP servers directly and through the gateway, and prints every difference",
    packages: ["@x/gateway-rig..."],
    builds: ["packages/mcp-upstream", "apps/demo"],
    brings: {
      into: "apps/rigs/gateway/servers",
      what: "public MCP servers (about 800 MB, once)",
      options: ["--omit=optional"],
    },
    runs: { file: "apps/rigs/gateway/src/main.mjs" },
  },
  hosts: {
    says: "runs a task in real hosts (2 GB, once) with a scripted model; a name runs one host, an exposure plays one",
    packages: ["@x/hosts...", "@x/runtimes"],
    builds: ["packages/mcp-adapter", "apps/rigs/runtimes"],
    brings: { into: "apps/rigs/hosts/programs", what: "the hosts (about 2 GB, once)" },
    runs: { file: "apps/rigs/hosts/src/main.mjs", recent: true },
  },
  identity: {
    says: "replaces things under names that stay, in random lives; a number is runs, a name is a way, commit takes its seed",
    packages: ["@x/identity-rig..."],
    runs: { file: "apps/rigs/identity/src/main.mjs" },
  },
  lighthouse: {
    says: "runs Lighthouse on the demo's pages, for phone and desktop",
    builds: ["apps/demo"],
    pages: ["packages/live-view", "apps/demo"],
    browser: true,
    brings: { into: "apps/rigs/lighthouse/brought", what: "Lighthouse (about 120 MB, once)" },
    runs: { file: "apps/rigs/lighthouse/src/main.mjs" },
  },
  mounting: {
    says: "tests MCP and sign-in in web frameworks behind common middleware; a name tests one framework",
    packages: ["@x/mounting..."],
    builds: ["packages/mcp-adapter"],
    runs: { file: "apps/rigs/mounting/matrix/main.mjs" },
  },
  next: {
    says: "tests a real Next application with pages mounted, in development and built",
    builds: ["packages/page-bridge"],
    browser: true,
    brings: { into: "apps/rigs/next/brought", what: "Next (about 340 MB, once)" },
    runs: { file: "apps/rigs/next/src/main.mjs" },
  },
  proxies: {
    says: "runs the guide's nginx and Caddy with MCP, sign-in and a page behind them; a name runs one",
    packages: ["@x/mounting..."],
    builds: ["packages/mcp-adapter", "packages/page-bridge", "apps/rigs/browser"],
    browser: true,
    runs: { file: "apps/rigs/mounting/proxies/main.mjs" },
  },
  quickstart: {
    says: "does what docs/quickstart.md says, in an empty folder, with packed packages",
    runs: { file: "tools/rigs/quickstart.mjs" },
  },
  recipes: {
    says: "follows the recipes of CONTRIBUTING in a copy of the workspace, and checks the copy; a name selects one",
    runs: { file: "apps/rigs/recipes/main.mjs" },
  },
  schemas: {
    says: "publishes thousands of schemas in every profile and checks them with vendors' programs",
    runs: { file: "tools/rigs/schemas.mjs" },
  },
  "sign-in": {
    says: "signs in at a real authorization server with the SDK's client and with OAuth checks",
    packages: ["@x/sign-in..."],
    builds: ["examples/remote-connector", "packages/mcp-upstream"],
    browser: true,
    brings: { into: "apps/rigs/sign-in/brought", what: "the authorization server and the checks (about 70 MB, once)" },
    runs: { file: "apps/rigs/sign-in/src/main.mjs" },
  },
  stores: {
    says: "tests 50 state libraries as sources; a name tests one library",
    packages: ["@x/stores..."],
    builds: ["packages/mcp-adapter"],
    brings: {
      into: "apps/rigs/stores/libraries",
      what: "the state libraries (about 450 MB, once)",
      options: ["--legacy-peer-deps"],
    },
    runs: { file: "apps/rigs/stores/src/main.mjs" },
  },
  template: {
    says: "creates a project from packed tarballs, tests it, starts it and adds an action to it",
    runs: { file: "tools/rigs/template.mjs" },
  },
}
