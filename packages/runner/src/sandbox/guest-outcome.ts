import type { Outcome } from './messages.ts'
import { type GuestText, isOutOfMemoryMessage } from './read-guest-text.ts'

/** The outcome of a call whose guest returned a result: JSON of at most `maxBytes` bytes. */
export function createResultOutcome(text: GuestText, maxBytes: number): Outcome {
  const json = text.length > maxBytes ? undefined : text.read()
  if (json === undefined || Buffer.byteLength(json) > maxBytes)
    return { ok: false, reason: 'size', message: '' }
  // A result is never empty: the VM had no memory left to return it.
  if (json === '') return { ok: false, reason: 'memory', message: '' }
  return { ok: true, json }
}

/** The outcome of a call whose guest reported an error. `isCrowded`: little memory is left in the VM. */
export function createErrorOutcome(text: GuestText, isMemoryShared: boolean): Outcome {
  const { message, kind } = parseFailure(text)
  // Without memory for an error object, QuickJS throws null.
  if ((message === 'null' && isMemoryShared) || isOutOfMemoryMessage(message))
    return { ok: false, reason: 'memory', message: '' }
  return { ok: false, reason: kind === 'output' ? 'output' : 'threw', message }
}

function parseFailure(text: GuestText): { message: string; kind: unknown } {
  try {
    const { name, message, kind } = JSON.parse(text.length > 65_536 ? '' : text.read())
    const messageText = typeof message === 'string' ? message : ''
    return {
      message:
        typeof name === 'string' && name !== 'Error' ? `${name}: ${messageText}` : messageText,
      kind,
    }
  } catch {
    return { message: '', kind: 'threw' }
  }
}
