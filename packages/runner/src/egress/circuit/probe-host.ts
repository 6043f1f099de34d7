import { type AddressPolicy, resolveTarget } from '../address-policy.ts'
import type { ConnectionPool } from '../connection-pool.ts'
import { startDeadline } from '../deadline.ts'
import { sendRequest } from '../send-request.ts'
import type { CircuitRequest } from './circuit-breaker.ts'
import { getTimeoutPhase } from './with-circuit.ts'

/**
 * Sends a request to a host on behalf of the node, without credentials, to check whether it responds at all. Any
 * response and any failure other than a timeout counts as alive: a workspace can cause timeouts at a working host by
 * requesting something slow.
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
    return getTimeoutPhase(error) === undefined
  } finally {
    deadline.clear()
  }
}

const PROBE_TIMEOUT_MS = 3_000
