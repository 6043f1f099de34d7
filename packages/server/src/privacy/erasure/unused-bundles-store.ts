import type { Database, Transaction } from '../../platform/storage/database.ts'

/** Deletes bundles that nothing refers to. Background work: not on behalf of a caller. */
export function createUnusedBundlesStore(database: Database) {
  return {
    /**
     * Bundles stored before `before` that no definition, pin, earlier version, catalogue or preview refers to. Reads a
     * page of bundles after `after`; returns where the next page starts.
     */
    deleteUnusedBundles(
      before: number,
      after: BundlePosition,
    ): Promise<BundlePosition | undefined> {
      return database.transaction(async (trx) => {
        const rows = await trx
          .selectFrom('bundles')
          .select(['sha256', 'created_at'])
          .where('created_at', '<', before)
          .where((eb) =>
            eb(eb.refTuple('created_at', 'sha256'), '>', eb.tuple(after.createdAt, after.sha256)),
          )
          .orderBy('created_at')
          .orderBy('sha256')
          .limit(BUNDLES)
          .execute()
        for (const { sha256 } of rows)
          if (!(await isReferenced(trx, sha256)))
            await trx.deleteFrom('bundles').where('sha256', '=', sha256).execute()
        const last = rows.length === BUNDLES ? rows.at(-1) : undefined
        return last && { createdAt: Number(last.created_at), sha256: last.sha256 }
      })
    },
  }
}

/** A position in the list of bundles, oldest first. */
export interface BundlePosition {
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly sha256: string
}

const BUNDLES = 20

const BUNDLE_REFERENCES = [
  'definitions',
  'definition_pins',
  'previous_versions',
  'catalogue_versions',
  'previews',
] as const

async function isReferenced(trx: Transaction, sha256: string): Promise<boolean> {
  for (const table of BUNDLE_REFERENCES) {
    const row = await trx
      .selectFrom(table)
      .select('bundle_sha256')
      .where('bundle_sha256', '=', sha256)
      .limit(1)
      .executeTakeFirst()
    if (row !== undefined) return true
  }
  return false
}
