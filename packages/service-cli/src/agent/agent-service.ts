/** Something an agent needs to run: a connection, a child process, a container. */
export interface AgentService<Handle = unknown> {
  /** Makes it ready, and hands out what the agent works with. */
  start(): Handle | PromiseLike<Handle>
  /** Lets go of it, and of all it holds. */
  stop?(handle: Handle): void | PromiseLike<void>
}

/** Services by name, each of which hands out what is named so in `Handles`. */
export type AgentServices<Handles> = { readonly [Name in keyof Handles]: AgentService<Handles[Name]> }
