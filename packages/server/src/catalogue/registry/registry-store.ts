import type { Kysely } from 'kysely'
import type { RegistryRow, Tables } from '../../storage/tables.ts'

/** Stores the last valid document of each registry, and the time of the next fetch. */
export const registryStore = {
  /**
   * Claims the next fetch for this node: no other node gets it before `nextAt`.
   *
   * @param dueBefore claims a fetch scheduled before this time, in milliseconds since 1970
   * @returns the stored state of the registry; undefined if the fetch is not due
   */
  async claim(
    trx: Kysely<Tables>,
    url: string,
    dueBefore: number,
    nextAt: number,
  ): Promise<RegistryRow | undefined> {
    await trx
      .insertInto('registries')
      .values({ url, etag: null, document: null, fetched_at: null, next_at: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return trx
      .updateTable('registries')
      .set({ next_at: nextAt })
      .where('url', '=', url)
      .where('next_at', '<=', dueBefore)
      .returningAll()
      .executeTakeFirst()
  },

  async update(
    trx: Kysely<Tables>,
    url: string,
    change: Partial<Omit<RegistryRow, 'url'>>,
  ): Promise<void> {
    await trx.updateTable('registries').set(change).where('url', '=', url).execute()
  },
}
