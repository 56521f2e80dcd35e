import { QueryClient, QueryObserver } from "@tanstack/query-core"
import { counted } from "./counted.mjs"

export const title = "TanStack Query"
export const packages = ["@tanstack/query-core"]

export function create(initial) {
  const client = new QueryClient({ defaultOptions: { queries: { gcTime: 0, staleTime: Number.POSITIVE_INFINITY } } })
  const options = { queryKey: ["todos"], queryFn: () => initial, initialData: initial }
  const { store: source, followers } = counted(new QueryObserver(client, options))
  const write = (value) => void client.setQueryData(["todos"], value)
  return {
    source,
    write,
    touch() {
      const todos = client.getQueryData(["todos"])
      todos[0].done = true
      write([...todos])
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard) {
      const own = new QueryObserver(client, options)
      heard(own.getCurrentResult().data)
      return own.subscribe(({ data }) => heard(data))
    },
    followers,
  }
}

export const inner = ({ data }) => data

/** Two results are never equal, since each contains the time of its data. */
export const neverEqual = true
