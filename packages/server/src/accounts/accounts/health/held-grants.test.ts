import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { newId } from '../../../platform/storage/id.ts'
import { parseKeys } from '../../../platform/vault/key-ring.ts'
import { createVault } from '../../../platform/vault/vault.ts'
import { type AccountId, NON_REFRESHABLE_DEFAULTS, toNewAccount } from '../account.ts'
import { createAccountStore } from '../account-store.ts'
import { createEncryptionContext } from '../credentials/account-config.ts'
import { createCheckLoop } from '../token-refresh/checks/check-loop.ts'
import { findHealth } from '../token-refresh/checks/check-store.ts'
import { getValidCredentials } from '../token-refresh/get-valid-credentials.ts'
import {
  type ConnectedAccount,
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
  TEST_KEYS,
} from '../token-refresh/test/refresh-test-context.ts'

describeOnBothDatabases('Grants of a suspect definition', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let offsetMs = 0
  const now = () => Date.now() + offsetMs

  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl(), now })
  })
  after(() => context.close())

  /** Another account of the same definition and OAuth app, whose tokens are due. */
  const addLike = async ({ id }: ConnectedAccount): Promise<ConnectedAccount> => {
    const { database } = context.t
    const row = await context.row(id)
    const family = context.provider.newFamily()
    const ids = { workspaceId: row.workspace_id, accountId: newId('acc', now()) }
    const config = { refresh_token: family.refreshToken, access_token: family.accessToken }
    const vault = createVault({ database, keys: parseKeys(TEST_KEYS), now })
    const account = toNewAccount({
      ...NON_REFRESHABLE_DEFAULTS,
      ...ids,
      definitionId: row.definition_id,
      oauthAppId: row.oauth_app_id,
      name: 'Connected',
      authType: 'OAuth2',
      tags: {},
      publicConfig: {},
      sealedConfig: await vault.seal(createEncryptionContext(ids), JSON.stringify(config)),
      credentialVersion: 1,
      tokenExpiresAt: now() + 10_000,
      refreshAt: now(),
      createdAt: now(),
      updatedAt: now(),
    })
    await database.transaction((trx) => createAccountStore(database).insert(trx, account))
    return { id: ids.accountId, family }
  }
  const readStatuses = async (accounts: readonly ConnectedAccount[]) =>
    Promise.all(accounts.map(async ({ id }) => (await context.row(id)).status))

  it('are refreshed again, and recover, although the token endpoint has said invalid_grant', async () => {
    const code = createMiniBundle(createOAuthSpec(context.provider))
    const first = await context.account({ code })
    const accounts = [first]
    while (accounts.length < 9) accounts.push(await addLike(first))
    const node = context.node()
    for (const { family } of accounts) family.isRevoked = true
    for (const { id } of accounts) await getValidCredentials(node, id).catch(() => {})
    const statuses = await readStatuses(accounts)
    assert.equal(statuses.filter((status) => status === 'needs_reauth').length, 4)
    for (const { id } of accounts)
      assert.equal((await findHealth(context.t.database.read, id)).isHeld, true)
    const [really, ...others] = accounts
    for (const { family } of others) family.isRevoked = false
    const loop = createCheckLoop(node)
    for (let minute = 0; minute < 200; minute += 1) {
      offsetMs += 60_000
      await loop.start()
      await loop.finish()
    }
    assert.deepEqual(
      await readStatuses(others),
      others.map(() => 'active'),
    )
    assert.equal((await context.row((really as ConnectedAccount).id)).status, 'needs_reauth')
    const history = await context.t.call('GET', `/v1/integration_account/${others[0]?.id}/history`)
    assert.ok(history.body.some(({ action }: { action: string }) => action === 'account.recovered'))
    const ids: AccountId[] = accounts.map(({ id }) => id)
    for (const id of ids)
      assert.equal((await findHealth(context.t.database.read, id)).isHeld, false)
  })
}
