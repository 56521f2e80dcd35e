import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { firstValueFrom, Subject } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { createSecretsFile } from "../src/node.js"

describe("createSecretsFile", () => {
  it("keeps an answer that was given once, in a file that its owner alone can read", async () => {
    const file = await place()
    const input = { id: "key", description: "Key", password: true }
    await createSecretsFile(file).answer(async () => "secret-1")(input)

    const again = await createSecretsFile(file).answer(undefined)(input)

    expect(again).toBe("secret-1")
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it("stores nothing without an answer", async () => {
    const file = await place()

    expect(await createSecretsFile(file).answer(undefined)({ id: "key", description: "Key", password: true })).toBe(
      undefined,
    )
    await expect(readFile(file)).rejects.toMatchObject({ code: "ENOENT" })
  })

  it("keeps what another process wrote meanwhile", async () => {
    const file = await place()
    const [one, other] = [createSecretsFile(file), createSecretsFile(file)]

    one.set("inputs", "a", "1")
    other.set("inputs", "b", "2")

    expect([one.get("inputs", "a"), one.get("inputs", "b")]).toEqual(["1", "2"])
  })

  it("reports changes by another process", async () => {
    const file = await place()
    const told = new Subject<unknown>()
    const secrets = createSecretsFile(file)
    const stop = secrets.follow(() => told.next(secrets.get("inputs", "a")))
    onTestFinished(stop)

    const first = firstValueFrom(told)
    createSecretsFile(file).set("inputs", "a", "1")

    expect(await first).toBe("1")
  })

  it("says that it cannot read a file without a word of it", async () => {
    const file = await place()
    await writeFile(file, "sk-secret")

    expect(() => createSecretsFile(file).get("inputs", "a")).toThrow(/cannot be read: it is not valid JSON/)
  })
})

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, "servers.json.secrets")
}
