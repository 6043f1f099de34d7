import { networkInterfaces } from 'node:os'
import { parseAddress } from './address.ts'

/** This machine's interface addresses in canonical notation, read again at most every 5 seconds. */
export function ownAddresses(now: () => number): () => ReadonlySet<string> {
  let known: ReadonlySet<string> = new Set()
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (Math.abs(now() - readAt) >= FRESH_MS) {
      known = readAddresses()
      readAt = now()
    }
    return known
  }
}

const FRESH_MS = 5_000

function readAddresses(): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { address } of Object.values(networkInterfaces()).flatMap((list) => list ?? [])) {
    const parsed = parseAddress(address.replace(/%.*$/, ''))
    if (parsed) found.add(parsed.toString())
  }
  return found
}
