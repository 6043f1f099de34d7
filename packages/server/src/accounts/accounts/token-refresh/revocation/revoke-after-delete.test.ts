import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMiniBundle } from '../../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../../test/postgres.ts'
import { registerOAuthApp } from '../../../../../test/register-oauth-app.ts'
import { expectOk } from '../../../../../test/test-context.ts'
import { getAuthHeaders } from '../auth-headers/get-auth-headers.ts'
import { getValidCredentials } from '../get-valid-credentials.ts'
import {
  type AccountOptions,
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from '../test/refresh-test-context.ts'
import { createRotatingBundle } from '../test/rotating-bundle.ts'

describeOnBothDatabases('revocation for a deleted account', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    Object.assign(context.provider, { beforeRotation: undefined, afterRotation: undefined })
    context.provider.revoked.length = 0
  })

  const createSpec = () =>
    createOAuthSpec(context.provider, { revocation_url: `${context.provider.url}/revoke` })
  const insertAccount = (overrides: AccountOptions = {}) =>
    context.account({ code: createMiniBundle(createSpec()), ...overrides })
  const remove = (id: string) => context.t.call('DELETE', `/v1/integration_account/${id}`)
  const getRevocation = ({
    refreshToken,
    accessToken,
  }: {
    refreshToken: string
    accessToken: string
  }) => [`refresh_token ${refreshToken}`, `access_token ${accessToken}`]
  /** Delays the provider between rotation and response; resolves when it has rotated. */
  const delayResponse = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    context.provider.afterRotation = async () => {
      context.provider.afterRotation = undefined
      resolve()
      await sleep(ms)
      return false
    }
    return promise
  }

  it('waits for a refresh in progress and revokes its tokens', async () => {
    const { id, family } = await insertAccount()
    const rotated = delayResponse(400)
    const refresh = getValidCredentials(context.node(), id).catch(() => undefined)
    await rotated
    assert.equal(expectOk(await remove(id)).revocation, 'revoked')
    await refresh
    assert.deepEqual(context.provider.revoked, getRevocation(family))
  })

  it('revokes tokens of a refresh that completes after the deletion', async () => {
    const { id, family } = await insertAccount()
    const rotated = delayResponse(4_000)
    const refresh = getValidCredentials(context.node(), id)
    const rejection = assert.rejects(refresh, { code: 'integration_account_not_found' })
    await rotated
    let isDone = false
    void rejection.finally(() => {
      isDone = true
    })
    assert.equal(expectOk(await remove(id)).revocation, 'revoked')
    assert.equal(isDone, false, 'it does not wait forever')
    await rejection
    assert.deepEqual(context.provider.revoked.slice(2), getRevocation(family))
  })

  it('revokes tokens that the bundle obtains after the deletion', async () => {
    const unmanaged = { hasApp: false, row: { token_expires_at: null, refresh_at: null } }
    const config = { client_id: 'imported', client_secret: 'with the tokens' }
    const { id, family } = await insertAccount({
      ...unmanaged,
      config,
      code: createRotatingBundle(createSpec()),
    })
    const rotated = delayResponse(4_000)
    const rejection = assert.rejects(getAuthHeaders(context.node(), id))
    await rotated
    assert.equal(expectOk(await remove(id)).revocation, 'revoked')
    await rejection
    assert.deepEqual(context.provider.revoked.slice(2), getRevocation(family))
  })

  it('does not revoke tokens of a refresh that lost its lease to an update', async () => {
    const { id } = await insertAccount()
    const rotated = delayResponse(300)
    const refresh = getValidCredentials(context.node(), id)
    await rotated
    await context.change(id, { credential_version: 7, token_expires_at: Date.now() + 900_000 })
    await refresh
    assert.deepEqual(context.provider.revoked, [])
  })

  it("revokes imported tokens as the client in the configuration, else as the workspace's OAuth app", async () => {
    const unmanaged = { hasApp: false, row: { token_expires_at: null, refresh_at: null } }
    const importedAccount = await insertAccount({ ...unmanaged, config: { client_id: 'imported' } })
    assert.equal(expectOk(await remove(importedAccount.id)).revocation, 'revoked')
    const accountWithoutClient = await insertAccount(unmanaged)
    const { definition_id: integrationDefinitionId } = await context.row(accountWithoutClient.id)
    await registerOAuthApp(context.t, { integrationDefinitionId, clientId: 'of the workspace' })
    assert.equal(expectOk(await remove(accountWithoutClient.id)).revocation, 'revoked')
    assert.deepEqual(context.provider.revoked, [
      ...getRevocation(importedAccount.family),
      ...getRevocation(accountWithoutClient.family),
    ])
    assert.deepEqual(context.provider.revokingClients.slice(-4), [
      ...['imported', 'imported'],
      ...['of the workspace', 'of the workspace'],
    ])
  })

  it('sends nothing without a client', async () => {
    const { id } = await insertAccount({
      hasApp: false,
      row: { token_expires_at: null, refresh_at: null },
    })
    assert.equal(expectOk(await remove(id)).revocation, null)
    assert.deepEqual(context.provider.revoked, [])
  })
}
