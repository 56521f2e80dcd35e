import { type FetchFixture, serveFixture } from "./serve-fixture.js"

/** The part of a worker's environment used here. */
interface Environment {
  readonly FIXTURE: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(request: Request): Promise<Response> }
  }
}

// workerd isolates the streams and timers of each request, and allows none before the first request. A session receives notices
// caused by other requests, so it lives in a durable object.
// biome-ignore lint/style/noDefaultExport: workerd takes a worker as the default export
export default {
  fetch: (request: Request, { FIXTURE }: Environment): Promise<Response> =>
    FIXTURE.get(FIXTURE.idFromName("fixture")).fetch(request),
}

/** The durable object, which workerd requires as a class. */
export class Fixture {
  #fixture: FetchFixture | undefined

  /** Answers a request. */
  fetch(request: Request): Promise<Response> {
    this.#fixture ??= serveFixture()
    return this.#fixture.fetch(request)
  }
}
