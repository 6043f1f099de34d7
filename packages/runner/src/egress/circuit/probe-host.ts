import { type AddressPolicy, resolveTarget } from '../address-policy.ts'
import type { ConnectionPool } from '../connection-pool.ts'
import { startDeadline } from '../deadline.ts'
import { sendRequest } from '../send-request.ts'
import type { CircuitRequest } from './circuit-breaker.ts'
import { timeoutPhase } from './with-circuit.ts'

/**
 * Asks a host on the node's own behalf, without credentials, whether it answers at all. Any answer and any failure but
 * silence counts as yes: a workspace can make requests time out at a host that works, by asking for what takes long.
 */
export async function probeHost(
  {
    connectionPool,
    addressPolicy,
  }: { readonly connectionPool: ConnectionPool; readonly addressPolicy: AddressPolicy },
  { origin, purpose }: Pick<CircuitRequest, 'origin' | 'purpose'>,
): Promise<boolean> {
  const deadline = startDeadline(PROBE_TIMEOUT_MS, undefined)
  const { signal } = deadline
  const url = `${origin}/`
  try {
    const target = await resolveTarget(addressPolicy, { url, purpose, signal })
    const options = { purpose: 'oauth', decompress: false, signal } as const
    const response = await sendRequest(connectionPool, target, { method: 'HEAD', url }, options)
    response.body.on('error', () => {}).destroy()
    return true
  } catch (error) {
    return timeoutPhase(error) === undefined
  } finally {
    deadline.clear()
  }
}

const PROBE_TIMEOUT_MS = 3_000
