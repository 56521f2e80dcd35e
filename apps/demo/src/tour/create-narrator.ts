import type { Client, Tool } from "@modelcontextprotocol/client"
import { BehaviorSubject, filter, firstValueFrom, type Observable, timeout } from "rxjs"
import { textOf } from "./text-of.js"

/** What a story needs. */
export interface Stage {
  /** Connected. */
  readonly client: Client
  /** The new list of tools, each time the server says that it has changed. */
  readonly tools$: Observable<readonly Tool[]>
  /** What the person is asked, and accepts. */
  readonly questions$: Observable<string>
  /** Takes the story, a line at a time. */
  readonly tell: (line: string) => void
}

/** Acts as a client and tells what it sees. Rejects where it sees anything else than was announced. */
export interface Narrator {
  /** Begins a scene. */
  scene(title: string): void
  /** Tells what was seen. */
  saw(text: string): void
  /** Lists the tools. */
  list(): Promise<void>
  /** Calls a tool, which does its work, and gives what it answered. */
  call(name: string, args?: Arguments): Promise<string>
  /** Calls a tool, which refuses for this reason. */
  refused(name: string, args: Arguments, reason: string): Promise<void>
  /** Waits until notices have brought the tools marked `+` and taken those marked `-`. */
  noticed(...changes: readonly Change[]): Promise<void>
}

type Arguments = Readonly<Record<string, unknown>>
type Change = `${"+" | "-"}${string}`

/** Creates a narrator who has seen nothing yet. */
export function createNarrator({ client, tools$, questions$, tell }: Stage): Narrator {
  const names$ = new BehaviorSubject<readonly string[]>([])
  tools$.subscribe((tools) => names$.next(tools.map((tool) => tool.name)))
  questions$.subscribe((question) => tell(`  < the person is asked: ${question.replace(/\s+/g, " ")}  > accepted`))
  let known: readonly string[] = []

  const saw = (text: string): void => {
    for (const line of text.split("\n")) tell(`    ${line}`)
  }
  const ask = async (name: string, args: Arguments): Promise<{ text: string; isError: boolean }> => {
    tell(`  > ${name} ${JSON.stringify(args)}`)
    const { content, isError = false } = await client.callTool({ name, arguments: { ...args } })
    const text = textOf(content)
    saw(text)
    return { text, isError }
  }

  return {
    scene: (title) => tell(`\n${title}`),
    saw,
    async list() {
      const { tools } = await client.listTools()
      known = tools.map((tool) => tool.name)
      names$.next(known)
      for (const { name, description } of tools) saw(`${name.padEnd(24)} ${firstSentence(description)}`)
    },
    async call(name, args = {}) {
      const { text, isError } = await ask(name, args)
      if (isError) throw new Error(`"${name}" failed, and should have done its work`)
      return text
    },
    async refused(name, args, reason) {
      const { text, isError } = await ask(name, args)
      if (!isError || !text.includes(reason)) throw new Error(`"${name}" should have been refused: ${reason}`)
    },
    async noticed(...changes) {
      const names = await firstValueFrom(
        names$.pipe(
          filter((listed) => changes.every((change) => isIn(change, listed))),
          timeout(PATIENCE),
        ),
      ).catch((cause: unknown) => {
        throw new Error(`no notice brought ${changes.join(" ")}`, { cause })
      })
      tell(`  < the tools have changed: ${difference(known, names).join("  ")}`)
      known = names
    },
  }
}

/** Milliseconds to wait for a notice that comes within a tenth of a second where everything works. */
const PATIENCE = 10_000

function firstSentence(description = ""): string {
  return description.split(/[.:] /)[0] ?? ""
}

function isIn(change: Change, names: readonly string[]): boolean {
  return names.includes(change.slice(1)) === change.startsWith("+")
}

function difference(before: readonly string[], now: readonly string[]): readonly Change[] {
  const gained = now.filter((name) => !before.includes(name)).map((name): Change => `+${name}`)
  const lost = before.filter((name) => !now.includes(name)).map((name): Change => `-${name}`)
  return [...gained, ...lost]
}
