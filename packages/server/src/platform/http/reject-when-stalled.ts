import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'

const RESOLUTION_MS = 10
/** A process rejects requests after its event loop was blocked for this long, until it has run for as long again. */
const MAX_STALL_MS = 5_000

/**
 * Rejects requests with `overloaded` after the event loop was blocked for `maxStallMs` on average, until it has run
 * for as long. `/health/live` is answered: a supervisor that restarts a busy process makes the others busier. Does not read
 * memory usage: that opens a file and would crash the process when no file descriptor is free.
 *
 * @returns whether requests are rejected now
 * @throws ApiError `overloaded` in the `onRequest` hook
 */
export function rejectWhenStalled(
  app: FastifyInstance,
  maxStallMs: number = MAX_STALL_MS,
): () => boolean {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let isStalled = false
  // Not an interval: the next sample must start after this one was read, even if that was late.
  const timer = setTimeout(() => {
    const delayMs = histogram.mean / 1e6 - RESOLUTION_MS
    // A sample with a single iteration of the loop has no mean.
    isStalled = Number.isNaN(delayMs) || delayMs > maxStallMs
    histogram.reset()
    timer.refresh()
  }, maxStallMs).unref()
  app.addHook('onRequest', (request, _reply, done) => {
    if (isStalled && request.url !== '/health/live')
      throw new ApiError('overloaded', 'Linchpin is overloaded. Try again in a moment.')
    done()
  })
  app.addHook('onClose', async () => {
    clearTimeout(timer)
    histogram.disable()
  })
  return () => isStalled
}
