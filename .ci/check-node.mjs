// Imported first: says in one line what an old Node would say in a stack trace.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: this needs 20.19 or newer (https://nodejs.org)`)
  process.exit(1)
}
