import type { Resolver } from 'node:dns/promises'

/** The part of a c-ares resolver that is used. */
export type AddressResolver = Pick<Resolver, 'resolve4' | 'resolve6'>

/**
 * Asks for the A and AAAA records of a name at the same time. Addresses of the preferred family come first, at most 64 of
 * each. Once one family has answered, the other has 300 ms left: addresses that come later are not used.
 *
 * @throws the error of the query that failed, with c-ares' code; ENODATA when the name has neither record
 */
export async function queryAddresses(
  resolver: AddressResolver,
  name: string,
  prefersIPv6: boolean,
): Promise<string[]> {
  const v4 = settled(resolver.resolve4(name))
  const v6 = settled(resolver.resolve6(name))
  const first = await Promise.race([v4, v6])
  const late = first.addresses.length > 0 ? GRACE_MS : undefined
  const [four, six] = await Promise.all([within(late, v4), within(late, v6)])
  const [one, other] = prefersIPv6 ? [six, four] : [four, six]
  const addresses = [...one.addresses, ...other.addresses]
  if (addresses.length > 0) return addresses
  throw worse(four.error, six.error)
}

interface Answer {
  readonly addresses: readonly string[]
  readonly error?: unknown
}

const GRACE_MS = 300
const MOST_ADDRESSES = 64

async function settled(query: Promise<string[]>): Promise<Answer> {
  try {
    return { addresses: (await query).slice(0, MOST_ADDRESSES) }
  } catch (error) {
    return { addresses: [], error }
  }
}

async function within(ms: number | undefined, answer: Promise<Answer>): Promise<Answer> {
  if (ms === undefined) return await answer
  const late = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => late.resolve({ addresses: [] }), ms)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** That there is no record of one family says less than any other failure of the other. */
function worse(one: unknown, other: unknown): unknown {
  return errorCode(one) === 'ENODATA' ? (other ?? one) : one
}

/** Such as ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
