import type { Tenant } from '../tenant.ts'
import { untilAborted } from './deadline.ts'
import { EgressError } from './egress-error.ts'

/** Finds the addresses of a name, on behalf of a tenant or for ourselves. */
export type Resolve = (
  host: string,
  tenant?: Tenant | undefined,
) => Promise<readonly { address: string; family: number }[]>

/** Who wants to know the addresses of a host. */
export interface ResolveOptions {
  readonly tenant?: Tenant | undefined
  readonly signal: AbortSignal
}

/**
 * The addresses of a host, asked for once.
 *
 * @throws GateError `refused` when there are none, `egress_unavailable` when no name server answers, `unreachable` when
 * the tenant has too many look-ups in flight, or the signal's reason when it fires first
 */
export async function resolveHost(
  host: string,
  resolve: Resolve,
  { tenant, signal }: ResolveOptions,
): Promise<string[]> {
  const addresses = await untilAborted(signal, lookUpAddresses(host, resolve, tenant))
  if (addresses.length === 0) throw new EgressError('refused', `${host} has no address`)
  return addresses
}

async function lookUpAddresses(
  host: string,
  resolve: Resolve,
  tenant: Tenant | undefined,
): Promise<string[]> {
  try {
    return [...new Set((await resolve(host, tenant)).map((record) => record.address))]
  } catch (cause) {
    if (cause instanceof EgressError) throw cause
    throw new EgressError('refused', `${host} does not resolve: ${String(cause)}`, undefined, cause)
  }
}
