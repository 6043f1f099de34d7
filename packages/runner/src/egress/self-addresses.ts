import { networkInterfaces } from 'node:os'
import { parseAddress } from './address.ts'

/** This machine's interface addresses in canonical notation, read at most every 5 seconds. */
export function listSelfAddresses(now: () => number): () => ReadonlySet<string> {
  let cached: ReadonlySet<string> = new Set()
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (Math.abs(now() - readAt) >= CACHE_TTL_MS) {
      cached = readInterfaceAddresses()
      readAt = now()
    }
    return cached
  }
}

const CACHE_TTL_MS = 5_000

function readInterfaceAddresses(): ReadonlySet<string> {
  const addresses = new Set<string>()
  for (const { address } of Object.values(networkInterfaces()).flatMap((list) => list ?? [])) {
    const parsed = parseAddress(address.replace(/%.*$/, ''))
    if (parsed) addresses.add(parsed.toString())
  }
  return addresses
}
