import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/storage/tables.ts'
import type { OAuthAppId } from './oauth-app.ts'

/** Whether the provider accepts the clients of OAuth apps. */
export const oauthAppClientStore = {
  /** Marks an app as failing since `now`. Returns whether it was not. For background work, which has no caller. */
  async markFailing(trx: Kysely<Tables>, appId: OAuthAppId, now: number): Promise<boolean> {
    const row = await trx
      .updateTable('oauth_apps')
      .set({ failing_since: now })
      .where('oauth_app_id', '=', appId)
      .where('failing_since', 'is', null)
      .returning('oauth_app_id')
      .executeTakeFirst()
    return row !== undefined
  },

  /** Marks an app as no longer failing. Returns whether it was. For background work, which has no caller. */
  async markRecovered(trx: Kysely<Tables>, appId: OAuthAppId): Promise<boolean> {
    const row = await trx
      .updateTable('oauth_apps')
      .set({ failing_since: null })
      .where('oauth_app_id', '=', appId)
      .where('failing_since', 'is not', null)
      .returning('oauth_app_id')
      .executeTakeFirst()
    return row !== undefined
  },

  /** How many live accounts are connected with the app, counted up to `max`. */
  async countAccounts(trx: Kysely<Tables>, appId: OAuthAppId, max: number): Promise<number> {
    const { count } = await trx
      .selectFrom((eb) =>
        eb
          .selectFrom('accounts')
          .select('account_id')
          .where('oauth_app_id', '=', appId)
          .where('deleted_at', 'is', null)
          .limit(max)
          .as('counted'),
      )
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },
}
