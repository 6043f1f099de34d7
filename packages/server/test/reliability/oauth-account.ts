// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this

import {
  type AccountId,
  NON_REFRESHABLE_DEFAULTS,
  toNewAccount,
} from '../../src/accounts/accounts/account.ts'
import { createAccountStore } from '../../src/accounts/accounts/account-store.ts'
import { createEncryptionContext } from '../../src/accounts/accounts/credentials/account-config.ts'
import { createOAuthSpec } from '../../src/accounts/accounts/token-refresh/test/refresh-test-context.ts'
import type { StrictProvider } from '../../src/accounts/accounts/token-refresh/test/strict-provider.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { newId } from '../../src/platform/storage/id.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { parseKeys } from '../../src/platform/vault/key-ring.ts'
import { createVault } from '../../src/platform/vault/vault.ts'
import { changeAccountRow, type WholeAccountRow } from '../account-rows.ts'
import { createMiniBundle } from '../mini-bundle.ts'
import type { StubServer } from '../stub-server.ts'
import type { ServiceProcess, ServiceSetup } from './service-process.ts'

/** An account that was connected to the strict provider, as the callback would have stored it. */
export interface OAuthAccount {
  readonly id: AccountId
  readonly database: Database
  /** Expires its access token. */
  expire(): Promise<void>
}

/**
 * Creates a definition, an OAuth app and an account on a service; by default the token of the account has just expired.
 * Close `database` at the end.
 */
export async function connectOAuth(
  service: ServiceProcess,
  setup: ServiceSetup,
  stubServer: StubServer,
  provider: StrictProvider,
  options: { readonly name?: string; readonly row?: Partial<WholeAccountRow> } = {},
): Promise<OAuthAccount> {
  const spec = createOAuthSpec(provider, {
    api_base_url: provider.url,
    headers: { Authorization: 'Bearer ${access_token}' },
  })
  const definition = await service.call('POST', '/v1/integration_definition', {
    name: options.name ?? 'Strict',
    sourceUrl: stubServer.bundle(createMiniBundle(spec)),
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
  const ids = { workspaceId, accountId: newId('acc', createdAt) }
  const { refreshToken, accessToken } = provider.newFamily()
  const config = { refresh_token: refreshToken, access_token: accessToken }
  const account = toNewAccount({
    ...NON_REFRESHABLE_DEFAULTS,
    ...ids,
    definitionId: integrationDefinitionId,
    name: 'Connected',
    authType: 'OAuth2',
    tags: {},
    publicConfig: {},
    sealedConfig: await vault.seal(createEncryptionContext(ids), JSON.stringify(config)),
    credentialVersion: 1,
    oauthAppId: app.body.integrationOAuthAppId,
    tokenExpiresAt: createdAt - 1,
    refreshAt: createdAt - 1,
    createdAt,
    updatedAt: createdAt,
  })
  const accounts = createAccountStore(database)
  await database.transaction((trx) => accounts.insert(trx, account))
  await changeAccountRow(database, ids.accountId, options.row ?? {})
  return {
    id: ids.accountId,
    database,
    expire: () =>
      changeAccountRow(database, ids.accountId, {
        token_expires_at: Date.now() - 1,
        refresh_at: 1,
      }),
  }
}
