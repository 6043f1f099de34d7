import { EgressError } from './egress.ts'

/** One deadline for a whole exchange. Its signal fires once, with an EgressError as the reason. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Aborts the exchange early. */
  abort(reason: EgressError): void
  /** Releases the timer and the listener. Call it when the exchange is over. */
  clear(): void
}

/** Starts a deadline of `timeoutMs` milliseconds that also fires when `parentSignal` does. */
export function startDeadline(timeoutMs: number, parentSignal: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(
    () => controller.abort(new EgressError('timeout', `no response within ${timeoutMs} ms`)),
    timeoutMs,
  )
  const onParentAbort = (): void =>
    controller.abort(new EgressError('aborted', 'the caller aborted the request'))
  if (parentSignal?.aborted) onParentAbort()
  parentSignal?.addEventListener('abort', onParentAbort, { once: true })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    clear: () => {
      clearTimeout(timer)
      parentSignal?.removeEventListener('abort', onParentAbort)
    },
  }
}

/**
 * Resolves with the result of `operation`, or rejects with the signal's reason, or with another one, as soon as it fires. A
 * later result is ignored.
 */
export async function untilAborted<T>(
  signal: AbortSignal,
  operation: Promise<T>,
  reason?: EgressError,
): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(reason ?? signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([operation, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Resolves with the result of `operation`, or with `fallback` after some milliseconds. */
export async function withTimeout<T>(ms: number, operation: Promise<T>, fallback: T): Promise<T> {
  const timeout = Promise.withResolvers<T>()
  const timer = setTimeout(() => timeout.resolve(fallback), ms)
  try {
    return await Promise.race([operation, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
