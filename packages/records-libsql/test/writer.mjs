// Writes records until it is killed, and prints each key once it is confirmed.
import { createLibsqlRecords } from "@x/records-libsql"

const [file] = process.argv.slice(2)
const marks = createLibsqlRecords({ file }).collection({ name: "marks", ttlMs: 60_000, full: "refuse" })
for (let index = 0; ; index += 1) {
  await marks.create(`k${index}`, index)
  process.stdout.write(`k${index}\n`)
}
