import type { LaneStats, Runner } from '@linchpin/runner'
import type { Instruments } from './metrics/instruments.ts'

/** Registers the metrics of bundle calls and of the processes that run them. */
export function registerRunnerMetrics({ gauge, counter }: Instruments, runner: Runner): void {
  const stats = () => runner.stats()
  gauge('linchpin_runner_children', () => stats().children)
  gauge('linchpin_runner_confined', () => Number(stats().isConfined))
  gauge('linchpin_runner_running_calls', () => stats().running)
  gauge('linchpin_runner_waiting_calls', () => stats().queued)
  gauge('linchpin_runner_throttled_workspaces', () => stats().throttledWorkspaces)
  counter('linchpin_runner_restarts_total', () => stats().restarts)
  counter('linchpin_runner_replacements_total', () => stats().replacements)
  counter('linchpin_runner_preemptions_total', () => stats().preemptions)
  counter('linchpin_runner_retries_total', () => stats().retries)
  gauge('linchpin_runner_calls', () =>
    Object.entries(stats().lanes).flatMap(([lane, { queued, computing, waiting }]) =>
      Object.entries({ queued, computing, waiting }).map(([state, value]) => ({
        labels: { lane, state },
        value,
      })),
    ),
  )
  const byLane = (read: (lane: LaneStats) => number) =>
    Object.entries(stats().lanes).map(([lane, each]) => ({ labels: { lane }, value: read(each) }))
  counter('linchpin_runner_started_calls_total', () => byLane(({ started }) => started))
  counter('linchpin_runner_queue_seconds_total', () => byLane(({ queuedMs }) => queuedMs / 1_000))
  counter('linchpin_runner_refused_calls_total', () => byLane(({ refused }) => refused))
}
