import type { Tenant } from '../tenant.ts'
import { untilAborted } from './deadline.ts'
import { EgressError } from './egress-error.ts'

/** Resolves the addresses of a name, for a tenant or for the service itself. */
export type HostResolver = (
  host: string,
  tenant?: Tenant | undefined,
) => Promise<readonly { address: string; family: number }[]>

/** Options of a lookup. */
export interface ResolveOptions {
  readonly tenant?: Tenant | undefined
  readonly signal: AbortSignal
}

/**
 * The addresses of a host, resolved once.
 *
 * @throws EgressError `refused` when there are none, `egress_unavailable` when no name server responds, `unreachable`
 * when the tenant has too many lookups in flight, or the signal's reason when it fires first
 */
export async function resolveHost(
  host: string,
  resolve: HostResolver,
  { tenant, signal }: ResolveOptions,
): Promise<string[]> {
  const addresses = await untilAborted(signal, lookUpAddresses(host, resolve, tenant))
  if (addresses.length === 0) throw new EgressError('refused', `${host} has no address`)
  return addresses
}

async function lookUpAddresses(
  host: string,
  resolve: HostResolver,
  tenant: Tenant | undefined,
): Promise<string[]> {
  try {
    return [...new Set((await resolve(host, tenant)).map((record) => record.address))]
  } catch (cause) {
    if (cause instanceof EgressError) throw cause
    throw new EgressError('refused', `${host} does not resolve: ${String(cause)}`, undefined, cause)
  }
}
