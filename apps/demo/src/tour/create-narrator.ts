import type { Client, Tool } from "@modelcontextprotocol/client"
import { BehaviorSubject, filter, firstValueFrom, type Observable, timeout } from "rxjs"
import { textOf } from "./text-of.js"

/** The parts of a story. */
export interface Stage {
  /** The connected client. */
  readonly client: Client
  /** The new tools, after each notice of a change. */
  readonly tools$: Observable<readonly Tool[]>
  /** The questions to the person, all accepted. */
  readonly questions$: Observable<string>
  /** Prints a line of the story. */
  readonly tell: (line: string) => void
}

/** Plays a client and narrates. Rejects on any unexpected observation. */
export interface Narrator {
  /** Begins a scene. */
  scene(title: string): void
  /** Prints an observation. */
  saw(text: string): void
  /** Lists the tools. */
  list(): Promise<void>
  /** Calls a tool that must succeed. Returns its answer. */
  call(name: string, args?: Arguments): Promise<string>
  /** Calls a tool that must fail with this reason. */
  refused(name: string, args: Arguments, reason: string): Promise<void>
  /** Waits for notices that add the tools marked `+` and remove those marked `-`. */
  noticed(...changes: readonly Change[]): Promise<void>
}

type Arguments = Readonly<Record<string, unknown>>
type Change = `${"+" | "-"}${string}`

/** Creates a narrator. */
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

/** Milliseconds to wait for a notice, which normally comes within 100. */
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
