// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this
import { sealedPlace } from '../../src/account/config/sealed-config.ts'
import { UNRENEWED } from '../../src/account/connect-account.ts'
import { oauthSpec } from '../../src/account/renewal/test/renewal-world.ts'
import type { StrictProvider } from '../../src/account/renewal/test/strict-provider.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { newId } from '../../src/storage/id.ts'
import type { AccountRow } from '../../src/storage/tables.ts'
import { parseKeys } from '../../src/vault/key-ring.ts'
import { createVault } from '../../src/vault/vault.ts'
import { miniBundle } from '../mini-bundle.ts'
import type { Origin } from '../origin.ts'
import type { ServicePlace, ServiceProcess } from './service-process.ts'

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
  place: ServicePlace,
  origin: Origin,
  provider: StrictProvider,
  given: { readonly name?: string; readonly row?: Partial<AccountRow> } = {},
): Promise<OAuthAccount> {
  const spec = oauthSpec(provider, {
    api_base_url: provider.url,
    headers: { Authorization: 'Bearer ${access_token}' },
  })
  const definition = await service.call('POST', '/v1/integration_definition', {
    name: given.name ?? 'Strict',
    sourceUrl: origin.bundle(miniBundle(spec)),
    integrationType: 'TICKETING',
  })
  const { integrationDefinitionId, workspaceId } = definition.body
  const app = await service.call('POST', '/v1/integration_oauth', {
    clientId: 'client-of-ours',
    clientSecret: 'app-secret',
    integrationDefinitionId,
  })
  const database = await openDatabase({ url: place.databaseUrl })
  const vault = createVault({ database, keys: parseKeys(place.keys), now: Date.now })
  const at = Date.now()
  const ids = { workspace_id: workspaceId, account_id: newId('acc', at) }
  const { refreshToken, accessToken } = provider.newFamily()
  const config = { refresh_token: refreshToken, access_token: accessToken }
  const row = {
    ...UNRENEWED,
    ...ids,
    definition_id: integrationDefinitionId,
    link_id: null,
    name: 'Connected',
    auth_type: 'OAuth2',
    account_identifier: null,
    public_config: '{}',
    sealed_config: await vault.seal(sealedPlace(ids), JSON.stringify(config)),
    credential_version: 1,
    oauth_app_id: app.body.integrationOAuthAppId,
    token_expires_at: at - 1,
    renew_at: at - 1,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    ...given.row,
  }
  await database.transaction((trx) => trx.insertInto('accounts').values(row).execute())
  return {
    id: ids.account_id,
    database,
    expire: () =>
      database.transaction(async (trx) => {
        const ended = { token_expires_at: Date.now() - 1, renew_at: 1 }
        const { account_id: id } = ids
        await trx.updateTable('accounts').set(ended).where('account_id', '=', id).execute()
      }),
  }
}
