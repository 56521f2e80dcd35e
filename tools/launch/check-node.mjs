// Imported first: an old Node prints one line instead of a stack trace.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: install 20.19 or newer (https://nodejs.org)`)
  process.exit(1)
}
