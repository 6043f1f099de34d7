import { lookup } from 'node:dns/promises'
import { untilAborted } from './deadline.ts'
import { GateError } from './gate-error.ts'

/** Finds the addresses of a name. */
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

/** Asks the system, /etc/hosts included, and keeps its order. */
export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true })

/**
 * The addresses of a host, asked for once.
 *
 * @throws GateError `refused` when there are none, or the signal's reason when it fires first
 */
export async function resolveHost(
  host: string,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<string[]> {
  const found = await untilAborted(signal, answersOf(host, resolve))
  if (found.length === 0) throw new GateError('refused', `${host} has no address`)
  return found
}

async function answersOf(host: string, resolve: Resolve): Promise<string[]> {
  try {
    return [...new Set((await resolve(host)).map((answer) => answer.address))]
  } catch (cause) {
    throw new GateError('refused', `${host} does not resolve: ${String(cause)}`, undefined, cause)
  }
}
