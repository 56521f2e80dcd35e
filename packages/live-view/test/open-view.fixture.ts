import { once } from "node:events"
import { createServer } from "node:http"
import { action, createAgenticService, link, state } from "@x/agentic-service"
import { openBrowser } from "@x/browser-rig"
import { createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject, firstValueFrom, Subject } from "rxjs"
import { onTestFinished } from "vitest"
import { createLiveViewHandler } from "../src/node.js"

/** Opens the live view of a room with a lamp in a real browser, until the test is over. */
export async function openView() {
  const { adapter, on$, release } = createRoom()
  const live = createLiveViewHandler(adapter, { show: true })
  const server = createServer((request, response) => live.handle(request, response)).listen(0, "127.0.0.1")
  await once(server, "listening")
  const browser = await openBrowser()
  onTestFinished(async () => {
    await browser.close()
    await live.close()
    server.close()
    adapter.close()
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(15_000)
  const faults: string[] = []
  page.on("pageerror", (error) => faults.push(error.message))
  await page.goto(`http://127.0.0.1:${Object(server.address()).port}/live/`)
  await page.locator("agentic-live-view .row").first().waitFor()
  return {
    adapter,
    on$,
    page,
    /** Lets a running `wait` end. */
    release,
    /** Ends the server, as a crash does. */
    async crash() {
      await live.close()
      server.closeAllConnections()
      server.close()
    },
    /** Errors thrown in the page. */
    faults,
    /** Opens a file as a person does. */
    openFile: (text: string) =>
      page.getByLabel("Open a recording").setInputFiles({
        name: "a.recording.jsonl",
        mimeType: "application/jsonl",
        buffer: Buffer.from(text),
      }),
    /** Returns the available tools on the screen. */
    tools: () => page.locator('[aria-label="Tools"] .row:not([data-away]) .name').allTextContents(),
  }
}

function createRoom() {
  const released$ = new Subject<void>()
  const on$ = new BehaviorSubject(false)
  const lamp = createAgenticService({
    name: "lamp",
    actions: { dim: action({ description: "Dims it", execute: () => {} }) },
  })
  const service = createAgenticService({
    name: "room",
    states: { on: state({ description: "Whether it is on", schema: { type: "boolean" }, value: on$ }) },
    actions: {
      toggle: action({ description: "Turns it on or off", execute: () => on$.next(!on$.value) }),
      off: action({
        description: "Turns it off",
        when: { is: on$, otherwise: "it is off already" },
        execute: () => on$.next(false),
      }),
      wait: action({ description: "Waits until it is released", execute: () => firstValueFrom(released$) }),
      paint: action({
        description: "Paints it",
        input: {
          type: "object",
          properties: {
            colour: { type: "string", minLength: 3 },
            coats: { type: "integer", minimum: 1 },
            finish: { type: "string", enum: ["matt", "gloss"] },
          },
          required: ["colour", "coats", "finish"],
          additionalProperties: false,
        },
        execute: (told) => ({ told }),
      }),
      burn: action({
        description: "Burns it",
        destructive: true,
        confirm: () => "Burn it down?",
        execute: () => ({ burnt: true }),
      }),
    },
    links: { lamp: link({ description: "The lamp", service: lamp }) },
  })
  return { adapter: createMcpAdapter(service), on$, release: () => released$.next() }
}
