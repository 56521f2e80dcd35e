#!/usr/bin/env node
// The command `mcp-gateway`.
import process from "node:process"
import { runGateway } from "./run-gateway.js"

await runGateway(process.argv)
