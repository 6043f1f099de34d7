import type { LaneStats, Runner } from '@linchpin/runner'
import { Counter, Gauge, type Registry } from 'prom-client'

/** Registers the metrics of bundle calls and of the processes that run them. */
export function registerRunnerMetrics(registry: Registry, runner: Runner): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `linchpin_runner_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge('children', 'Runner processes.', () => runner.stats().children)
  gauge('running_calls', 'Bundle calls in progress.', () => runner.stats().running)
  gauge('waiting_calls', 'Queued bundle calls.', () => runner.stats().queued)
  gauge(
    'throttled_workspaces',
    'Workspaces whose calls currently run apart from those of others.',
    () => {
      return runner.stats().throttledWorkspaces
    },
  )
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name: `linchpin_runner_${name}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  counter(
    'restarts',
    'Runner processes that crashed or were killed.',
    () => runner.stats().restarts,
  )
  counter('replacements', 'Runner processes that were replaced on schedule.', () => {
    return runner.stats().replacements
  })
  counter(
    'preemptions',
    'Calls that were restarted apart from others because they computed too long.',
    () => {
      return runner.stats().preemptions
    },
  )
  counter('retries', 'Calls that were restarted after another call crashed their process.', () => {
    return runner.stats().retries
  })
  laneMetrics(registry, runner)
}

/** Metrics by lane: `credentials` has the calls that a proxied request waits for, `checks` all others. */
function laneMetrics(registry: Registry, runner: Runner): void {
  const registers = [registry]
  const lanes = () => Object.entries(runner.stats().lanes)
  new Gauge({
    name: 'linchpin_runner_calls',
    help: 'Current bundle calls: queued, computing, or waiting in a process, mostly for a provider.',
    labelNames: ['lane', 'state'],
    registers,
    collect() {
      for (const [lane, { queued, computing, waiting }] of lanes())
        for (const [state, count] of Object.entries({ queued, computing, waiting }))
          this.set({ lane, state }, count)
    },
  })
  const counter = (name: string, help: string, read: (stats: LaneStats) => number) =>
    new Counter({
      name: `linchpin_runner_${name}_total`,
      help,
      labelNames: ['lane'],
      registers,
      collect() {
        this.reset()
        for (const [lane, stats] of lanes()) this.inc({ lane }, read(stats))
      },
    })
  counter('started_calls', 'Bundle calls that started.', ({ started }) => started)
  counter(
    'queue_seconds',
    'Time that bundle calls spent in the queue before they started.',
    ({ queuedMs }) => queuedMs / 1_000,
  )
  counter('refused_calls', 'Bundle calls rejected with 503 overloaded.', ({ refused }) => refused)
}
