import react from "@vitejs/plugin-react"
import { pageBridge } from "@x/page-bridge/vite"
import { defineConfig } from "vitest/config"

// `npm run dev` serves the page, and its tools for models at /__mcp.
export default defineConfig({
  plugins: [react(), pageBridge({ name: "notes" })],
  test: { include: ["src/**/*.test.ts"], testTimeout: 60_000 },
})
