// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this

import { encryptionContext } from '../../src/accounts/credentials/encrypted-config.ts'
import { NON_REFRESHABLE_DEFAULTS } from '../../src/accounts/credentials/non-refreshable-defaults.ts'
import { oauthSpec } from '../../src/accounts/token-refresh/test/refresh-test-context.ts'
import type { StrictProvider } from '../../src/accounts/token-refresh/test/strict-provider.ts'
import type { Database } from '../../src/storage/database.ts'
import { newId } from '../../src/storage/id.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import type { AccountRow } from '../../src/storage/tables.ts'
import { parseKeys } from '../../src/vault/key-ring.ts'
import { createVault } from '../../src/vault/vault.ts'
import { miniBundle } from '../mini-bundle.ts'
import type { StubServer } from '../stub-server.ts'
import type { ServiceProcess, ServiceSetup } from './service-process.ts'

/** An account that was connected to the strict provider, as the callback would have stored it. */
export interface OAuthAccount {
  readonly id: string
  readonly database: Database
  /** Makes its access token end now. */
  expire(): Promise<void>
}

/** Makes definition, OAuth app and account on a service; by default its token has just ended. Close `database` in the end. */
export async function connectOAuth(
  service: ServiceProcess,
  setup: ServiceSetup,
  stubServer: StubServer,
  provider: StrictProvider,
  options: { readonly name?: string; readonly row?: Partial<AccountRow> } = {},
): Promise<OAuthAccount> {
  const spec = oauthSpec(provider, {
    api_base_url: provider.url,
    headers: { Authorization: 'Bearer ${access_token}' },
  })
  const definition = await service.call('POST', '/v1/integration_definition', {
    name: options.name ?? 'Strict',
    sourceUrl: stubServer.bundle(miniBundle(spec)),
    integrationType: 'TICKETING',
  })
  const { integrationDefinitionId, workspaceId } = definition.body
  const app = await service.call('POST', '/v1/integration_oauth', {
    clientId: 'client-of-ours',
    clientSecret: 'app-secret',
    integrationDefinitionId,
  })
  const database = await openDatabase({ url: setup.databaseUrl })
  const vault = createVault({ database, keys: parseKeys(setup.keys), now: Date.now })
  const createdAt = Date.now()
  const ids = { workspace_id: workspaceId, account_id: newId('acc', createdAt) }
  const { refreshToken, accessToken } = provider.newFamily()
  const config = { refresh_token: refreshToken, access_token: accessToken }
  const row = {
    ...NON_REFRESHABLE_DEFAULTS,
    ...ids,
    definition_id: integrationDefinitionId,
    link_id: null,
    name: 'Connected',
    auth_type: 'OAuth2',
    account_identifier: null,
    public_config: '{}',
    sealed_config: await vault.seal(encryptionContext(ids), JSON.stringify(config)),
    credential_version: 1,
    oauth_app_id: app.body.integrationOAuthAppId,
    token_expires_at: createdAt - 1,
    renew_at: createdAt - 1,
    created_at: createdAt,
    updated_at: createdAt,
    deleted_at: null,
    ...options.row,
  }
  await database.transaction((trx) => trx.insertInto('accounts').values(row).execute())
  return {
    id: ids.account_id,
    database,
    expire: () =>
      database.transaction(async (trx) => {
        const expiredColumns = { token_expires_at: Date.now() - 1, renew_at: 1 }
        const { account_id: id } = ids
        await trx.updateTable('accounts').set(expiredColumns).where('account_id', '=', id).execute()
      }),
  }
}
