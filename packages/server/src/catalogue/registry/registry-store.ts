import type { Kysely } from 'kysely'
import type { RegistryRow, Tables } from '../../storage/tables.ts'

/** The last good document of each registry, and who asks for the next. */
export const registryStore = {
  /**
   * Takes the turn to ask, for this node alone: nobody else gets it before `nextAt`.
   *
   * @param dueBefore a turn that was to come by then may be taken, in epoch milliseconds
   * @returns what is known of the registry; undefined when it is not time yet
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
