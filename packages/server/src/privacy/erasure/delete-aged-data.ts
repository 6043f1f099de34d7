import type { RetentionStore } from './retention-store.ts'
import type { BundlePosition } from './unused-bundles-store.ts'

/** For how many days ended things are retained; undefined: for ever. */
export interface RetentionDays {
  readonly tombstoneDays: number | undefined
  readonly endedLinkDays: number | undefined
  readonly revokedTokenDays: number | undefined
  readonly unusedBundleDays: number | undefined
}

export interface DeleteAgedDataDeps {
  readonly retention: RetentionStore
  readonly now: () => number
}

/** Background work: deletes what is retained for a limited time, in small batches. */
export async function deleteAgedData(
  { retention, now }: DeleteAgedDataDeps,
  { tombstoneDays, endedLinkDays, revokedTokenDays, unusedBundleDays }: RetentionDays,
): Promise<void> {
  const sweep = async (days: number | undefined, work: (before: number) => Promise<boolean>) => {
    if (days === undefined) return
    for (let batch = 0; batch < MAX_BATCHES; batch += 1)
      if (!(await work(now() - days * DAY_MS))) return
  }
  await sweep(tombstoneDays, retention.deleteTombstones)
  await sweep(endedLinkDays, retention.deleteEndedLinks)
  await sweep(revokedTokenDays, retention.deleteRevokedTokens)
  if (unusedBundleDays !== undefined) {
    let position: BundlePosition | undefined = { createdAt: 0, sha256: '' }
    while (position !== undefined)
      position = await retention.deleteUnusedBundles(now() - unusedBundleDays * DAY_MS, position)
  }
}

const DAY_MS = 24 * 60 * 60_000
/** The next round continues. */
const MAX_BATCHES = 10
