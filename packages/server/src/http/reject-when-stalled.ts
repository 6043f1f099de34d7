import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'

const RESOLUTION_MS = 10

/**
 * Refuses requests with `overloaded` after the event loop was blocked for `maxStallMs` on average, until it has run
 * for as long. Reads no memory usage: that opens a file, and without a free file descriptor it would end the process.
 */
export function rejectWhenStalled(app: FastifyInstance, maxStallMs: number): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let isStalled = false
  // Not an interval: the next sample begins when this one has been read, however late that was.
  const timer = setTimeout(() => {
    const delayMs = histogram.mean / 1e6 - RESOLUTION_MS
    // A sample in which the loop turned but once has no mean.
    isStalled = Number.isNaN(delayMs) || delayMs > maxStallMs
    histogram.reset()
    timer.refresh()
  }, maxStallMs).unref()
  app.addHook('onRequest', (_request, _reply, done) => {
    if (isStalled)
      throw new ApiError('overloaded', 'Linchpin is overloaded. Try again in a moment.')
    done()
  })
  app.addHook('onClose', async () => {
    clearTimeout(timer)
    histogram.disable()
  })
}
