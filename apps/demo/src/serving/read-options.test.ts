import { describe, expect, it } from "vitest"
import { readOptions } from "./read-options.js"

describe("readOptions", () => {
  it("serves this machine, on port 3000, unless told otherwise", () => {
    expect(readOptions([], {})).toMatchObject({ host: "127.0.0.1", port: 3000, stdio: false })
  })

  it("prefers the command line to the environment", () => {
    const env = { HOST: "0.0.0.0", PORT: "4000" }

    expect(readOptions([], env)).toMatchObject({ host: "0.0.0.0", port: 4000 })
    expect(readOptions(["--port", "5000", "--host=::1"], env)).toMatchObject({ host: "::1", port: 5000 })
  })

  it.each(["x", "-1", "65536", "1e3", ""])("refuses the port %j", (port) => {
    expect(() => readOptions([`--port=${port}`], {})).toThrow(`port is "${port}": expected`)
  })

  it("lists what can be called now, unless told otherwise", () => {
    expect(readOptions([], {}).exposure).toBe("dynamic")
    expect(readOptions(["--exposure", "meta"], {}).exposure).toBe("meta")
    expect(() => readOptions(["--exposure", "all"], {})).toThrow(
      'exposure is "all": expected dynamic, stable, meta or grouped',
    )
  })

  it("offers an export only if told how long it lasts", () => {
    expect(readOptions([], {}).export).toBeUndefined()
    expect(readOptions(["--export", "1.5"], {}).export).toBe(1.5)
    expect(() => readOptions(["--export", "long"], {})).toThrow('export is "long": expected the seconds')
  })

  it("refuses an option it does not know", () => {
    expect(() => readOptions(["--prot", "1"], {})).toThrow("--prot")
  })
})
