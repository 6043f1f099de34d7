import type { LinchpinEvent } from '@linchpin/sdk'
import type { Io } from '../io.ts'
import { signEvent } from './sign-event.ts'

interface Target {
  readonly url: string
  /** `whsec_…` */
  readonly secret: string
}

const ATTEMPT_TIMEOUT_MS = 15_000
const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 30_000

/**
 * Sends an event until the receiver accepts it with 2xx: later events wait, so that they arrive in order. Each attempt has
 * the same ID and a new time. @throws the reason of the signal
 */
export async function forwardEvent(event: LinchpinEvent, target: Target, io: Io): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    io.signal.throwIfAborted()
    const result = await send(event, target, io)
    io.stderr.write(`${event.sequence} ${event.type} ${result}\n`)
    if (/^2\d\d$/.test(result)) return
    await io.sleep(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt))
  }
}

/** The status of the response, or why there is none. */
async function send(event: LinchpinEvent, { url, secret }: Target, io: Io): Promise<string> {
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)])
  const request = signEvent(event, { secret, now: io.now() })
  try {
    const response = await io.fetch(url, { method: 'POST', redirect: 'manual', ...request, signal })
    await response.body?.cancel()
    return String(response.status)
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    return isTimeout ? 'no response in time' : 'unreachable'
  }
}
