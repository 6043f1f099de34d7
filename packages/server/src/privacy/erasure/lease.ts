import type { ErasureLease } from './erasure-store.ts'

/** The lease of a process that starts now. A batch of revocations takes at most eight seconds. */
export function getErasureLease({ now }: { readonly now: () => number }): ErasureLease {
  const current = now()
  return { now: current, aliveUntil: current + LEASE_MS }
}

const LEASE_MS = 30_000
