import {
  changeAccountRow,
  readAccountRow,
  type WholeAccountRow,
} from '../../../../../test/account-rows.ts'
import { createMiniBundle } from '../../../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../../../test/register-oauth-app.ts'
import { sharedRunner } from '../../../../../test/shared-runner.ts'
import type { TestAppOptions } from '../../../../../test/test-app.ts'
import { type TestContext, testContext } from '../../../../../test/test-context.ts'
import { createBundleStore } from '../../../../integrations/definitions/bundle-store.ts'
import type { OAuthAppId } from '../../../../integrations/oauth-apps/oauth-app.ts'
import { createOAuthAppStore } from '../../../../integrations/oauth-apps/oauth-app-store.ts'
import { createLog } from '../../../../platform/http/log.ts'
import { newId } from '../../../../platform/storage/id.ts'
import { parseKeys } from '../../../../platform/vault/key-ring.ts'
import { createVault } from '../../../../platform/vault/vault.ts'
import { type AccountId, NON_REFRESHABLE_DEFAULTS, toNewAccount } from '../../account.ts'
import { toAccount } from '../../account-row-store.ts'
import { createAccountStore } from '../../account-store.ts'
import { createEncryptionContext } from '../../credentials/account-config.ts'
import { createRefreshScheduler } from '../background/refresh-scheduler.ts'
import type { CheckCredentialsDeps } from '../checks/check-credentials.ts'
import { createCheckStore } from '../checks/check-store.ts'
import { createRefreshCache, createRefreshCounts, type RefreshDeps } from '../refresh-deps.ts'
import { createRefreshStore } from '../refresh-store.ts'
import { type StrictProvider, startStrictProvider, type TokenFamily } from './strict-provider.ts'

/** A service, a strict provider and OAuth accounts connected to it. */
export interface RefreshTestContext {
  readonly t: TestContext
  readonly provider: StrictProvider
  /** Dependencies of another node, with their own cache. */
  node(overrides?: Partial<CheckCredentialsDeps>): CheckCredentialsDeps
  /** Inserts an account; by default its access token expires in 10 seconds. */
  account(overrides?: AccountOptions): Promise<ConnectedAccount>
  row(accountId: AccountId): Promise<WholeAccountRow>
  change(accountId: AccountId, change: Partial<WholeAccountRow>): Promise<void>
  config(accountId: AccountId): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export interface ConnectedAccount {
  readonly id: AccountId
  readonly family: TokenFamily
}

export interface AccountOptions {
  readonly row?: Partial<WholeAccountRow>
  readonly config?: Readonly<Record<string, unknown>>
  readonly code?: string
  /** The client registered at the provider. */
  readonly client?: { readonly clientId: string; readonly clientSecret: string }
  /** False for an account imported with a refresh token, without an OAuth app. */
  readonly hasApp?: boolean
}

/** The key ring of the vault. */
export const TEST_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`

/** Starts the context. Close it in `after`. */
export async function startRefreshTestContext(
  options: Omit<TestAppOptions, 'url'> & { url?: string | undefined } = {},
): Promise<RefreshTestContext> {
  const { url, now = Date.now, ...overrides } = options
  const t = await testContext({ ...overrides, now, ...(url === undefined ? {} : { url }) })
  const provider = await startStrictProvider()
  const { database } = t
  const vault = createVault({ database, keys: parseKeys(TEST_KEYS), now })
  const runnerPair = sharedRunner()
  const accounts = createAccountStore(database)
  const row = (id: AccountId) => readAccountRow(database, id)
  return {
    t,
    provider,
    node: (overrides = {}) => ({
      database,
      vault,
      ...runnerPair,
      now,
      bundles: createBundleStore(database),
      oauthApps: createOAuthAppStore(database),
      refreshStore: createRefreshStore(database, overrides.now ?? now),
      refreshCache: createRefreshCache(),
      checkStore: createCheckStore(database),
      refreshCounts: createRefreshCounts(),
      log: createLog('silent'),
      ...overrides,
    }),
    async account({ row: rowOverrides = {}, config = {}, code, client, hasApp = true } = {}) {
      const definition = await t.createDefinition({
        code: code ?? createMiniBundle(createOAuthSpec(provider)),
      })
      const { integrationDefinitionId } = definition
      const app = hasApp
        ? await registerOAuthApp(t, {
            integrationDefinitionId,
            clientSecret: 'app-secret',
            ...client,
          })
        : undefined
      const family = provider.newFamily()
      const at = now()
      const ids = { workspaceId: t.workspaceId, accountId: newId('acc', at) }
      const fullConfig = {
        refresh_token: family.refreshToken,
        access_token: family.accessToken,
        scope: 'all',
        ...config,
      }
      const account = toNewAccount({
        ...ids,
        ...NON_REFRESHABLE_DEFAULTS,
        definitionId: integrationDefinitionId,
        name: 'Connected',
        authType: 'OAuth2',
        tags: {},
        publicConfig: {},
        sealedConfig: await vault.seal(createEncryptionContext(ids), JSON.stringify(fullConfig)),
        credentialVersion: 1,
        oauthAppId: (app?.integrationOAuthAppId as OAuthAppId | undefined) ?? null,
        tokenExpiresAt: at + 10_000,
        refreshAt: at,
        createdAt: at,
        updatedAt: at,
      })
      await database.transaction((trx) => accounts.insert(trx, account))
      await changeAccountRow(database, ids.accountId, rowOverrides)
      return { id: ids.accountId, family }
    },
    row,
    change: (id, change) => changeAccountRow(database, id, change),
    async config(id) {
      const found = await row(id)
      const sealed = found.sealed_config ?? new Uint8Array()
      return JSON.parse(await vault.openText(createEncryptionContext(toAccount(found)), sealed))
    },
    async close() {
      await provider.close()
      await t.close()
    },
  }
}

/** A spec with the token endpoint of the strict provider. */
export function createOAuthSpec(
  provider: Pick<StrictProvider, 'url'>,
  overrides: Record<string, unknown> = {},
) {
  return {
    auth_specification: {
      OAuth2: {
        input_specification: { type: 'object', properties: {} },
        authorization_url: `${provider.url}/authorize`,
        token_url: `${provider.url}/token`,
        ...overrides,
      },
    },
  }
}

/** Runs one round: refreshes all due accounts. */
export async function refreshDueAccounts(
  deps: RefreshDeps,
  { concurrency }: { readonly concurrency?: number } = {},
): Promise<void> {
  const scheduler = createRefreshScheduler(deps, concurrency)
  await scheduler.runRound()
  await scheduler.finish()
}
