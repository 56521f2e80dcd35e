import { source } from "@x/agentic-service"
import { computed, reactive, ref, toRaw, watch } from "vue"
import { countRuns } from "./count-runs.mjs"

export const title = "Vue"

export function create(initial) {
  const source = ref(initial)
  const write = (value) => {
    source.value = value
  }
  const runs = countRuns(() => write(structuredClone(toRaw(source.value))))
  return {
    source,
    it: () => {
      runs.count()
      return source.value
    },
    alsoRefused: [reactive({ value: initial }), computed(() => source.value)],
    write,
    touch() {
      source.value[0].done = true
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen: (heard) =>
      watch(source, (value) => heard(JSON.parse(JSON.stringify(value))), { deep: true, immediate: true }),
    followers: runs.perChange,
  }
}

export const named = "Vue"

export const line = ({ it }) =>
  source.observe((notify) => watch(it, (value) => notify(value), { deep: true, immediate: true }))
