import { GateError } from './gate-error.ts'

/** One deadline for a whole exchange. Its signal fires once, with a GateError as the reason. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Ends the exchange early. */
  stop(reason: GateError): void
  /** Lets go of timer and listener. Call it when the exchange is over. */
  end(): void
}

/** Starts a deadline of `timeoutMs` milliseconds that also fires when `outer` does. */
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(
    () => controller.abort(new GateError('timeout', `nothing after ${timeoutMs} ms`)),
    timeoutMs,
  )
  const onOuter = (): void => controller.abort(new GateError('aborted', 'the caller let go'))
  if (outer?.aborted) onOuter()
  outer?.addEventListener('abort', onOuter, { once: true })
  return {
    signal: controller.signal,
    stop: (reason) => controller.abort(reason),
    end: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onOuter)
    },
  }
}

/** What `work` answers, or the signal's reason as soon as it fires. Work that ends later is ignored. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const gone = Promise.withResolvers<never>()
  const stop = (): void => gone.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, gone.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
