import type { Kysely } from 'kysely'
import type { Tables } from '../../../platform/storage/tables.ts'

/** The last valid document of a registry. */
export interface Registry {
  readonly url: string
  readonly etag: string | null
  /** As it was received; null if none has been stored yet. */
  readonly document: string | null
}

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
  ): Promise<Registry | undefined> {
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
      .returning(['url', 'etag', 'document'])
      .executeTakeFirst()
  },

  /** Stores a document that was just fetched. */
  async saveDocument(
    trx: Kysely<Tables>,
    { url, etag, document }: Registry,
    fetchedAt: number,
  ): Promise<void> {
    const change = { etag, document, fetched_at: fetchedAt }
    await trx.updateTable('registries').set(change).where('url', '=', url).execute()
  },

  /** Changes the time of the next fetch. */
  async reschedule(trx: Kysely<Tables>, url: string, nextAt: number): Promise<void> {
    await trx.updateTable('registries').set({ next_at: nextAt }).where('url', '=', url).execute()
  },
}
