import { setTimeout as sleep } from 'node:timers/promises'
import { askProvider } from './grant/ask-provider.ts'
import { openGrant } from './grant/open-grant.ts'
import { revokeLate } from './grant/revoke-grant.ts'
import { settleRenewal } from './grant/settle-renewal.ts'
import { isDue, type Wish } from './is-due.ts'
import { type HeldLease, RELEASED, takeLease } from './lease/held-lease.ts'
import type { SeenAccount } from './lease/renewal-store.ts'
import { RENEWAL_TIMES, type RenewalDeps } from './renewal-deps.ts'
import { shareFlight } from './renewal-state.ts'

/**
 * Renews the tokens that were seen, or waits for the other who does. One request per expiry, however many ask on
 * however many nodes: callers of one process share one flight, and the flights of all processes one lease in the
 * database. What came of it stands in the account; read it again.
 */
export function renewAccount(deps: RenewalDeps, seen: SeenAccount, wish: Wish): Promise<void> {
  return shareFlight(deps.renewalState.flights, seen.row.account_id, async () => {
    const held = await takeLease(deps, seen.row)
    if (held === undefined) await waitForOther(deps, seen, wish)
    else await underLease(held, () => renewHeld(deps, held, wish))
  })
}

/** Runs work under a lease. What fails gives the lease back; that a request was sent stays known. */
export async function underLease<T>(held: HeldLease, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await held.write(RELEASED).catch(() => false)
    throw error
  }
}

/** The same for work that writes nothing itself: it gives the lease back whatever comes of it. */
export async function releasing<T>(held: HeldLease, work: () => Promise<T>): Promise<T> {
  const done = await underLease(held, work)
  await held.write(RELEASED)
  return done
}

async function renewHeld(deps: RenewalDeps, held: HeldLease, wish: Wish): Promise<void> {
  // Another may have tried and failed between the look and the lease.
  if (!isDue(held.row, held.now(), wish)) return void (await held.write(RELEASED))
  const grant = await openGrant(deps, held.row)
  const asked = await askProvider(deps, held, grant)
  if (asked === undefined) return void (await held.write(RELEASED))
  if (await settleRenewal(deps, held, grant, asked)) return
  deps.log.warn({ accountId: held.accountId }, 'a renewal came too late and was dropped')
  if (asked.result.kind === 'tokens') await revokeLate(deps, held.row, grant, asked.result.tokens)
}

/** Until there is something new to see or to do. Jitter keeps nodes from asking the database in step. */
async function waitForOther(deps: RenewalDeps, seen: SeenAccount, wish: Wish): Promise<void> {
  const { waitMs } = deps.renewalTimes ?? RENEWAL_TIMES
  const until = performance.now() + waitMs
  while (performance.now() < until) {
    await sleep(40 + Math.random() * 120)
    const now = await deps.renewals.find(seen.row.account_id)
    if (now === undefined || !isDue(now.row, now.at, wish)) return
    if (now.row.credential_version !== seen.row.credential_version) return
    if (now.row.lease_until === null || now.row.lease_until < now.at) return
  }
}
