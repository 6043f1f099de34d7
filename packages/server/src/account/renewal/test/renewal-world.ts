import { createGate, createRunner, parseAllowList } from '@linchpin/runner'
import { startWorld, type World } from '../../../../test/fixtures.ts'
import { miniBundle } from '../../../../test/mini-bundle.ts'
import { registerApp } from '../../../../test/oauth-app-fixtures.ts'
import type { TestAppOptions } from '../../../../test/test-app.ts'
import { createBundleStore } from '../../../definition/bundle-store.ts'
import { createLog } from '../../../http/log.ts'
import { createOAuthAppStore } from '../../../oauth-app/oauth-app-store.ts'
import { newId } from '../../../storage/id.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { parseKeys } from '../../../vault/key-ring.ts'
import { createVault } from '../../../vault/vault.ts'
import { sealedPlace } from '../../config/sealed-config.ts'
import { UNRENEWED } from '../../connect-account.ts'
import { createRenewalStore } from '../lease/renewal-store.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { createRenewalState } from '../renewal-state.ts'
import { type Family, type StrictProvider, startStrictProvider } from './strict-provider.ts'

/** A service, a strict provider beside it, and OAuth accounts that were connected to it. */
export interface RenewalWorld {
  readonly t: World
  readonly provider: StrictProvider
  /** As another process would have them: a memory of its own. */
  node(more?: Partial<RenewalDeps>): RenewalDeps
  /** Inserts an account; by default one whose access token ends in 10 seconds. */
  account(more?: AccountOptions): Promise<Connected>
  row(accountId: string): Promise<AccountRow>
  change(accountId: string, change: Partial<AccountRow>): Promise<void>
  config(accountId: string): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export interface Connected {
  readonly id: string
  readonly family: Family
}

export interface AccountOptions {
  readonly row?: Partial<AccountRow>
  readonly config?: Readonly<Record<string, unknown>>
  readonly code?: string
  /** As registered at the provider. */
  readonly client?: { readonly clientId: string; readonly clientSecret: string }
  /** False: as imported with a refresh token, without an OAuth app. */
  readonly hasApp?: boolean
}

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`

/** Starts one. Close it in `after`. */
export async function startRenewalWorld(
  options: Omit<TestAppOptions, 'url'> & { url?: string | undefined } = {},
): Promise<RenewalWorld> {
  const { url, now = Date.now, ...more } = options
  const t = await startWorld({ ...more, now, ...(url === undefined ? {} : { url }) })
  const provider = await startStrictProvider()
  const { database } = t
  const vault = createVault({ database, keys: parseKeys(KEYS), now })
  const gate = createGate({ allow: parseAllowList('127.0.0.0/8') })
  const runner = createRunner({ gate, children: 1 })
  const row = (id: string) =>
    database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
  return {
    t,
    provider,
    node: (more = {}) => ({
      database,
      vault,
      gate,
      runner,
      now,
      bundles: createBundleStore(database),
      oauthApps: createOAuthAppStore(database),
      renewals: createRenewalStore(database, more.now ?? now),
      renewalState: createRenewalState(),
      log: createLog('silent'),
      ...more,
    }),
    async account({ row: given = {}, config = {}, code, client, hasApp = true } = {}) {
      const definition = await t.define({ code: code ?? miniBundle(oauthSpec(provider)) })
      const integrationDefinitionId = String(definition.integrationDefinitionId)
      const app = hasApp
        ? await registerApp(t, {
            integrationDefinitionId,
            clientSecret: 'app-secret',
            ...client,
          })
        : undefined
      const family = provider.newFamily()
      const at = now()
      const ids = { workspace_id: t.workspaceId, account_id: newId('acc', at) }
      const whole = {
        refresh_token: family.refreshToken,
        access_token: family.accessToken,
        scope: 'all',
        ...config,
      }
      const inserted: AccountRow = {
        ...ids,
        ...UNRENEWED,
        definition_id: integrationDefinitionId,
        link_id: null,
        name: 'Connected',
        auth_type: 'OAuth2',
        account_identifier: null,
        public_config: '{}',
        sealed_config: await vault.seal(sealedPlace(ids), JSON.stringify(whole)),
        credential_version: 1,
        oauth_app_id: app?.integrationOAuthAppId ?? null,
        token_expires_at: at + 10_000,
        renew_at: at,
        created_at: at,
        updated_at: at,
        deleted_at: null,
        ...given,
      }
      await database.transaction((trx) => trx.insertInto('accounts').values(inserted).execute())
      return { id: ids.account_id, family }
    },
    row,
    async change(id, change) {
      await database.transaction((trx) =>
        trx.updateTable('accounts').set(change).where('account_id', '=', id).execute(),
      )
    },
    async config(id) {
      const found = await row(id)
      const sealed = found.sealed_config ?? new Uint8Array()
      return JSON.parse(await vault.openText(sealedPlace(found), sealed))
    },
    async close() {
      await Promise.all([runner.close(), gate.close(), provider.close()])
      await t.close()
    },
  }
}

/** A spec whose token endpoint is the strict provider's. */
export function oauthSpec(provider: StrictProvider, more: Record<string, unknown> = {}) {
  return {
    auth_specification: {
      OAuth2: {
        input_specification: { type: 'object', properties: {} },
        authorization_url: `${provider.url}/authorize`,
        token_url: `${provider.url}/token`,
        ...more,
      },
    },
  }
}
