import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import type { WholeAccountRow } from '../../../test/account-rows.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectError, expectOk } from '../../../test/test-context.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { createEncryptionContext } from './credentials/account-config.ts'
import {
  type ConnectedAccount,
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from './token-refresh/test/refresh-test-context.ts'

describeOnBothDatabases('DELETE /v1/integration_account/{id} with a shared grant', defineTests)

interface AccountSetup {
  /** Additional members of the auth type. */
  readonly spec?: Record<string, unknown>
  readonly row?: Partial<WholeAccountRow>
  readonly config?: Record<string, unknown>
  readonly hasApp?: boolean
  readonly client?: { clientId: string; clientSecret: string }
}

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  let userCount = 0
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    context.provider.revoked.length = 0
  })

  const createIdentity = () => ({ identity_id: `user-${++userCount}` })
  const insertAccount = ({ spec = {}, ...overrides }: AccountSetup = {}) => {
    const revocation_url = `${context.provider.url}/revoke`
    return context.account({
      ...overrides,
      code: createMiniBundle(createOAuthSpec(context.provider, { revocation_url, ...spec })),
      row: { token_expires_at: null, refresh_at: null, ...overrides.row },
    })
  }
  const remove = async ({ id }: ConnectedAccount, query = '') =>
    expectOk(await context.t.call('DELETE', `/v1/integration_account/${id}${query}`)).revocation
  const tokensFor = (...accounts: ConnectedAccount[]) =>
    accounts.flatMap(({ family }) => [
      `refresh_token ${family.refreshToken}`,
      `access_token ${family.accessToken}`,
    ])
  /** Moves an account into a workspace of another user, with its app. */
  const moveToOtherUser = async (
    { id }: ConnectedAccount,
    change: { sealed_secret?: null } = {},
  ) => {
    const { workspaceId } = await context.t.otherUser()
    const { vault, database } = context.node()
    const row = await context.row(id)
    const config = await context.config(id)
    const movedAccount = { accountId: id, workspaceId }
    const sealed_config = await vault.seal(
      createEncryptionContext(movedAccount),
      JSON.stringify(config),
    )
    await context.change(id, { workspace_id: workspaceId, sealed_config })
    const secret = await vault.seal(
      {
        table: 'oauth_apps',
        column: 'sealed_secret',
        workspaceId,
        rowId: String(row.oauth_app_id),
      },
      'app-secret',
    )
    await database.transaction(async (trx) => {
      const owner = { workspace_id: workspaceId }
      await trx
        .updateTable('definitions')
        .set(owner)
        .where('definition_id', '=', row.definition_id)
        .execute()
      await trx
        .updateTable('oauth_apps')
        .set({ ...owner, sealed_secret: secret, ...change })
        .where('oauth_app_id', '=', String(row.oauth_app_id) as OAuthAppId)
        .execute()
    })
  }

  it('DELETE /v1/integration_account/{id}: revocation is "shared" until the last account of the grant is deleted', async () => {
    const row = createIdentity()
    const [mail, calendar, drive] = [
      await insertAccount({ row }),
      await insertAccount({ row }),
      await insertAccount({ row }),
    ]
    await insertAccount({ row: createIdentity() })
    assert.equal(await remove(mail), 'shared')
    assert.equal(await remove(calendar), 'shared')
    assert.deepEqual(context.provider.revoked, [])
    assert.equal(
      (await context.row(mail.id)).sealed_config,
      null,
      'the configuration is erased anyway',
    )
    assert.equal(await remove(mail), null)
    assert.equal(await remove(drive), 'revoked')
    assert.deepEqual(context.provider.revoked, tokensFor(drive))
    const events = await selectAuditEntries(context.t.database.read)
      .select('detail')
      .where('subject', '=', mail.id)
      .where('action', '=', 'account.deleted')
      .execute()
    assert.match(JSON.stringify(events), /shared/)
  })

  it('DELETE /v1/integration_account/{id}: revokes a shared grant with ?revoke=always or x-revokes: "token" in the spec', async () => {
    const row = createIdentity()
    const first = await insertAccount({ row })
    const second = await insertAccount({ row, spec: { 'x-revokes': 'token' } })
    const third = await insertAccount({ row, spec: { 'x-revokes': 'grant' } })
    assert.equal(await remove(first, '?revoke=always'), 'revoked')
    assert.equal(await remove(second), 'revoked')
    assert.deepEqual(context.provider.revoked, tokensFor(first, second))
    await insertAccount({ row })
    assert.equal(await remove(third), 'shared')
  })

  it('DELETE /v1/integration_account/{id}: an account of the same user shares the grant if it stems from a sign-in, not with a key of its own', async () => {
    const app = { row: createIdentity(), client: { clientId: 'c-keys', clientSecret: 's' } }
    const withKey = (status_reason: string | null) =>
      insertAccount({
        ...app,
        row: { ...app.row, auth_type: 'Key', oauth_app_id: null, status_reason },
      })
    const signedIn = await insertAccount(app)
    await withKey(null)
    assert.equal(await remove(signedIn), 'revoked')
    const other = await insertAccount(app)
    await withKey('no_refresh_token')
    assert.equal(await remove(other), 'shared')
  })

  it('DELETE /v1/integration_account/{id}: accounts of unknown identity share a grant only under the same accountIdentifier', async () => {
    const [me, other] = [`user-${++userCount}`, `user-${++userCount}`]
    const known = await insertAccount({ row: { ...createIdentity(), account_identifier: me } })
    const unknown = await insertAccount({ row: { account_identifier: me } })
    const otherAccount = await insertAccount({ row: { account_identifier: other } })
    const unnamed = [await insertAccount(), await insertAccount()]
    assert.equal(await remove(known), 'shared')
    assert.equal(await remove(otherAccount), 'revoked')
    for (const each of unnamed) assert.equal(await remove(each), 'revoked')
    assert.equal(await remove(unknown), 'revoked')
    const users = [createIdentity(), createIdentity()]
    const [one] = await Promise.all(
      users.map((each) => insertAccount({ row: { ...each, account_identifier: me } })),
    )
    assert.ok(one)
    assert.equal(await remove(one), 'revoked', 'accounts of two known users do not share a grant')
  })

  it('DELETE /v1/integration_account/{id}: accounts with another client or revocation host, deleted or in needs_reauth do not share the grant', async () => {
    const row = createIdentity()
    const target = await insertAccount({ row })
    await insertAccount({ row, client: { clientId: 'another', clientSecret: 'app-secret' } })
    await insertAccount({ row, spec: { revocation_url: 'https://revoke.example/' } })
    await insertAccount({ row, spec: { revocation_url: undefined } })
    await insertAccount({ row: { ...row, deleted_at: 1, sealed_config: null } })
    await insertAccount({ row: { ...row, status: 'needs_reauth', status_reason: 'invalid_grant' } })
    assert.equal(await remove(target), 'revoked')
  })

  it('DELETE /v1/integration_account/{id}: compares revocation hosts that come from the configuration', async () => {
    const row = createIdentity()
    const { host } = new URL(context.provider.url)
    const input_specification = {
      type: 'object',
      properties: { server: { type: 'string', pattern: '^[a-z0-9.:-]+$' } },
    }
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of a spec
    const spec = { input_specification, revocation_url: 'http://${server}/revoke' }
    const insertAccountAt = (server: string) => insertAccount({ row, spec, config: { server } })
    const [one, same] = [await insertAccountAt(host), await insertAccountAt(host)]
    await insertAccountAt('elsewhere.example')
    assert.equal(await remove(one), 'shared')
    assert.equal(await remove(same), 'revoked')
  })

  it('DELETE /v1/integration_account/{id}: imported tokens share a grant by the client in their configuration', async () => {
    const row = { account_identifier: `user-${++userCount}` }
    const imported = { row, hasApp: false }
    const first = await insertAccount({ ...imported, config: { client_id: 'theirs' } })
    const second = await insertAccount({ ...imported, config: { client_id: 'theirs' } })
    await insertAccount({ ...imported, config: { client_id: 'other' } })
    assert.equal(await remove(first), 'shared')
    assert.equal(await remove(second), 'revoked')
  })

  it('DELETE /v1/integration_account/{id}: an account of another user shares the grant only if its client has the same secret', async () => {
    const row = createIdentity()
    const [first, second, otherUsersAccount] = [
      await insertAccount({ row }),
      await insertAccount({ row }),
      await insertAccount({ row }),
    ]
    await moveToOtherUser(otherUsersAccount)
    assert.equal(await remove(first), 'shared')
    assert.equal(await remove(second), 'shared')
    assert.deepEqual(context.provider.revoked, [])
    const other = createIdentity()
    const [victim, forged] = [
      await insertAccount({ row: other }),
      await insertAccount({ row: other }),
    ]
    await moveToOtherUser(forged, { sealed_secret: null })
    assert.equal(await remove(victim), 'revoked', 'a client id is public')
    const named = { account_identifier: `user-${++userCount}` }
    const imported = { row: named, hasApp: false, config: { client_id: 'theirs' } }
    const [own, foreign] = [await insertAccount(imported), await insertAccount(imported)]
    await moveToOtherUser(foreign)
    assert.equal(await remove(own), 'revoked', 'tenants know their accountIdentifiers')
  })

  it('DELETE /v1/integration_account/{id}: exactly one of several simultaneous deletions revokes the shared grant', async () => {
    for (let round = 0; round < 6; round++) {
      context.provider.revoked.length = 0
      const row = createIdentity()
      const siblings = [
        await insertAccount({ row }),
        await insertAccount({ row }),
        await insertAccount({ row }),
      ]
      const outcomes = await Promise.all(siblings.map((each) => remove(each)))
      assert.deepEqual(outcomes.toSorted(), ['revoked', 'shared', 'shared'])
      const last = siblings[outcomes.indexOf('revoked')]
      assert.ok(last)
      assert.deepEqual(context.provider.revoked, tokensFor(last))
    }
  })

  it('DELETE /v1/integration_account/{id}: an account whose deletion did not finish shares the grant again', async () => {
    const row = createIdentity()
    const target = await insertAccount({ row })
    await insertAccount({ row: { ...row, revoking_until: Date.now() - 1 } })
    assert.equal(await remove(target), 'shared')
  })

  it('DELETE /v1/integration_account/{id}: 400 for any other value of revoke or any other parameter; nothing is deleted', async () => {
    const target = await insertAccount({ row: createIdentity() })
    for (const query of ['?revoke=never', '?revoke=', '?revoke=always&revoke=always', '?force=1'])
      expectError(
        await context.t.call('DELETE', `/v1/integration_account/${target.id}${query}`),
        'invalid_parameter',
      )
    assert.equal((await context.row(target.id)).deleted_at, null)
  })
}
