import * as lostValues from '../../src/app/operator/keys/lost-values-store.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import type { Id } from '../../src/platform/storage/id.ts'
import { createSampleRows } from '../../src/platform/storage/test/sample-rows.ts'

/** Runs the statements for lost values, and undoes them. */
export async function runLostValueQueries(database: Database, accountId: Id<'acc'>): Promise<void> {
  const account = await database.read
    .selectFrom('accounts')
    .select(['workspace_id', 'definition_id', 'sealed_config'])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const { webhook_endpoints, connect_sessions } = createSampleRows()
  const sealed = account.sealed_config ?? Buffer.alloc(0)
  const seal = () => sealed
  const value = { rowId: 'none', workspaceId: account.workspace_id, sealed, now: 1, seal }
  const secrets = { plaintext: '[]', publicKey: 'whpk_' }
  const {
    loseAccount,
    loseClientSecret,
    loseEndpointHeaders,
    loseGivenConfig,
    loseSigningSecrets,
    ...others
  } = lostValues
  const { workspace_id, definition_id } = account
  await database
    .transaction(async (trx) => {
      await loseAccount(trx, { ...value, rowId: accountId })
      const row = { ...webhook_endpoints, workspace_id: account.workspace_id }
      await trx.insertInto('webhook_endpoints').values(row).execute()
      const ofEndpoint = { ...value, rowId: row.endpoint_id, sealed: row.sealed_secrets }
      await loseSigningSecrets(trx, ofEndpoint, secrets)
      await loseEndpointHeaders(trx, ofEndpoint)
      const app = await trx
        .selectFrom('oauth_apps')
        .selectAll()
        .where('workspace_id', '=', workspace_id)
        .where('definition_id', '=', definition_id)
        .executeTakeFirstOrThrow()
      const ofApp = { ...value, rowId: app.oauth_app_id, sealed: app.sealed_secret ?? sealed }
      await loseClientSecret(trx, ofApp)
      const session = { ...connect_sessions, workspace_id, link_id: null }
      await trx.insertInto('connect_sessions').values(session).execute()
      await loseGivenConfig(trx, { ...value, rowId: session.connect_session_id })
      for (const lose of Object.values(others))
        if (typeof lose === 'function') await lose(trx, value)
      throw new RangeError('undo')
    })
    .catch((error) => {
      if (!(error instanceof RangeError)) throw error
    })
}
