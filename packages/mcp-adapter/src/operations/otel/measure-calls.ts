import type { BatchObservableCallback, Meter } from "@opentelemetry/api"
import { type Observable, take } from "rxjs"
import type { CallAskedEvent, CallSettledEvent } from "../../calls/adapter-event.js"
import type { Health } from "../health.js"
import { toErrorAttributes, toMetricAttributes } from "./call-attributes.js"

/** Measures calls. */
export interface CallMeasures {
  /** Takes a call that has ended. */
  record(call: CallSettledEvent | CallAskedEvent): void
  /** Measures no more. */
  close(): void
}

/** Measures how long calls take, and how many run, wait and are stuck whenever the meter is read. */
export function measureCalls(meter: Meter, health: Observable<Health>): CallMeasures {
  const durations = meter.createHistogram("mcp.server.operation.duration", {
    description: "How long calls take, from their start to their answer",
    unit: "s",
    advice: { explicitBucketBoundaries: SECONDS },
  })
  const gauge = (name: string, description: string) =>
    meter.createObservableGauge(`agentic_service.calls.${name}`, { description, unit: "{call}" })
  const running = gauge("running", "Calls that run")
  const waiting = gauge("waiting", "Calls that wait for a turn")
  const stuck = gauge("stuck", "Actions that go on although they were told to stop")
  const gauges = [running, waiting, stuck]
  const read: BatchObservableCallback = (result) => {
    health.pipe(take(1)).subscribe((now) => {
      result.observe(running, now.running)
      result.observe(waiting, now.waiting)
      result.observe(stuck, now.stuck)
    })
  }
  meter.addBatchObservableCallback(read, gauges)
  return {
    record: (call) =>
      durations.record(call.duration / 1_000, { ...toMetricAttributes(call), ...toErrorAttributes(call) }),
    close: () => meter.removeBatchObservableCallback(read, gauges),
  }
}

/** The buckets that the conventions demand, in seconds. */
const SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
