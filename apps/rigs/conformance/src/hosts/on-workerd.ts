import { type FetchFixture, serveFixture } from "./serve-fixture.js"

/** What is used of a worker's surroundings here. */
interface Environment {
  readonly FIXTURE: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(request: Request): Promise<Response> }
  }
}

// workerd keeps what one request opens from all others, and starts nothing before the first one: a session, whose notices come
// from other requests, lives in a durable object.
// biome-ignore lint/style/noDefaultExport: workerd takes a worker as the default export
export default {
  fetch: (request: Request, { FIXTURE }: Environment): Promise<Response> =>
    FIXTURE.get(FIXTURE.idFromName("fixture")).fetch(request),
}

/** The durable object; workerd wants a class. */
export class Fixture {
  #fixture: FetchFixture | undefined

  /** Answers a request. */
  fetch(request: Request): Promise<Response> {
    this.#fixture ??= serveFixture()
    return this.#fixture.fetch(request)
  }
}
