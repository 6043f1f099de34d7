import type { Resolver } from 'node:dns/promises'

/** The part of a c-ares resolver that is used here. */
export type AddressResolver = Pick<Resolver, 'resolve4' | 'resolve6'>

/**
 * Queries the A and AAAA records of a name concurrently. Addresses of the preferred family come first, at most 64 of
 * each. Once one family has responded, the other has 300 ms left; later addresses are ignored.
 *
 * @throws the error of the failed query, with c-ares' code; ENODATA if the name has neither record
 */
export async function queryAddresses(
  resolver: AddressResolver,
  name: string,
  prefersIPv6: boolean,
): Promise<string[]> {
  const v4 = settleQuery(resolver.resolve4(name))
  const v6 = settleQuery(resolver.resolve6(name))
  const firstResult = await Promise.race([v4, v6])
  const graceMs = firstResult.addresses.length > 0 ? GRACE_MS : undefined
  const [ipv4Result, ipv6Result] = await Promise.all([
    withTimeout(graceMs, v4),
    withTimeout(graceMs, v6),
  ])
  const [preferred, other] = prefersIPv6 ? [ipv6Result, ipv4Result] : [ipv4Result, ipv6Result]
  const addresses = [...preferred.addresses, ...other.addresses]
  if (addresses.length > 0) return addresses
  throw chooseMoreSpecificError(ipv4Result.error, ipv6Result.error)
}

/** Whether the name servers answer for the root. This is independent of any other name. */
export async function doesRootRespond(resolver: Pick<Resolver, 'resolveNs'>): Promise<boolean> {
  try {
    await resolver.resolveNs('.')
    return true
  } catch (error) {
    return ['ENOTFOUND', 'ENODATA'].includes(getDnsErrorCode(error) ?? '')
  }
}

interface QueryResult {
  readonly addresses: readonly string[]
  readonly error?: unknown
}

const GRACE_MS = 300
const MAX_ADDRESSES = 64

async function settleQuery(query: Promise<string[]>): Promise<QueryResult> {
  try {
    return { addresses: (await query).slice(0, MAX_ADDRESSES) }
  } catch (error) {
    return { addresses: [], error }
  }
}

async function withTimeout(
  ms: number | undefined,
  result: Promise<QueryResult>,
): Promise<QueryResult> {
  if (ms === undefined) return await result
  const timeout = Promise.withResolvers<QueryResult>()
  const timer = setTimeout(() => timeout.resolve({ addresses: [] }), ms)
  try {
    return await Promise.race([result, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A missing record of one family is less informative than any other failure of the other. */
function chooseMoreSpecificError(one: unknown, other: unknown): unknown {
  return getDnsErrorCode(one) === 'ENODATA' ? (other ?? one) : one
}

/** Such as ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT. */
export function getDnsErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
