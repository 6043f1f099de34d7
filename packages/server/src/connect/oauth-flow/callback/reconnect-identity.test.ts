import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import type { AccountId } from '../../../accounts/accounts/account.ts'
import { selectAuditEntries } from '../../../platform/storage/audit-inbox.ts'
import type { RevocationTestContext } from '../test/revocation-test-context.ts'
import { getReturnParams, respondWithJson } from '../test/stub-provider-context.ts'

describeOnBothDatabases('the user who signs in for a reconnect', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: RevocationTestContext
  before(async () => {
    t = await testContext({ provider: { revocation: true }, url: await newUrl() })
  })
  after(() => t.close())

  const completeFlow = async (access: string, body: Record<string, unknown> = {}) => {
    t.respondToToken = respondWithJson(200, {
      access_token: access,
      refresh_token: `rt_${access}`,
      expires_in: 3600,
    })
    return getReturnParams(await t.completeFlow(body))
  }
  const connectAccount = async (access: string) => (await completeFlow(access)).integrationAccountId
  const storedAccessToken = async (id: AccountId) => {
    const token = await t.createToken({ scopes: ['credentials:read'] })
    const path = `/v1/integration_account/${id}/credentials`
    return expectOk(await t.call('GET', path, { token })).config.access_token
  }

  /** As the event and the audit trail report it. */
  const listIdentityChanges = async (subject: string): Promise<unknown[]> => {
    const { read } = t.database
    const action = 'account.reconnected'
    const events = read.selectFrom('events').select('data as json').where('type', '=', action)
    const entries = selectAuditEntries(read).select('detail as json').where('action', '=', action)
    const rows = [
      ...(await events.where('subject', '=', subject).execute()),
      ...(await entries.where('subject', '=', subject).execute()),
    ]
    return rows.map(({ json }) => JSON.parse(String(json)).identityChanged)
  }

  for (const confirm of [true, false]) {
    it(`must be the same user (confirm: ${confirm})`, async () => {
      const id = await connectAccount('alice.1')
      const reconnect = { integrationAccountId: id, confirm }
      assert.equal((await completeFlow('bob.1', reconnect)).error, 'identity_mismatch')
      assert.equal(await storedAccessToken(id), 'alice.1')
      const { confirmToken, success } = await completeFlow('alice.2', reconnect)
      assert.equal(success, 'true')
      if (confirm) expectOk(await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } }))
      assert.equal(await storedAccessToken(id), 'alice.2')
    })

    it(`must have a known identity if the account has one (confirm: ${confirm})`, async () => {
      const id = await connectAccount('alice.1')
      const reconnect = { integrationAccountId: id, confirm }
      assert.equal((await completeFlow('unknown.1', reconnect)).error, 'identity_mismatch')
      assert.equal(await storedAccessToken(id), 'alice.1')
    })
  }

  it('is not reported as a different user when the provider is unreachable', async () => {
    const id = await connectAccount('alice.1')
    const reconnect = { integrationAccountId: id }
    assert.equal((await completeFlow('alice.away', reconnect)).error, 'provider_error')
    assert.equal(await storedAccessToken(id), 'alice.1')
    const otherIdentityResult = await completeFlow('alice.away', {
      ...reconnect,
      allowOtherIdentity: true,
    })
    assert.equal(otherIdentityResult.success, 'true')
  })

  it('may have a numeric ID', async () => {
    const id = await connectAccount('4711.1')
    const reconnect = { integrationAccountId: id }
    assert.equal((await completeFlow('4712.1', reconnect)).error, 'identity_mismatch')
    assert.equal((await completeFlow('4711.2', reconnect)).success, 'true')
    assert.equal(await storedAccessToken(id), '4711.2')
  })

  it('may be anyone when the account has no identity, which is then stored', async () => {
    const reconnect = { integrationAccountId: await connectAccount('unknown.1') }
    assert.equal((await completeFlow('alice.1', reconnect)).success, 'true')
    assert.equal((await completeFlow('bob.1', reconnect)).error, 'identity_mismatch')
  })

  it('may be anyone with allowOtherIdentity, and becomes the stored identity', async () => {
    const reconnect = { integrationAccountId: await connectAccount('alice.1') }
    const { success } = await completeFlow('bob.1', { ...reconnect, allowOtherIdentity: true })
    assert.equal(success, 'true')
    assert.equal((await completeFlow('alice.2', reconnect)).error, 'identity_mismatch')
    assert.equal(await storedAccessToken(reconnect.integrationAccountId), 'bob.1')
  })

  it('is reported by the event and the audit trail of the reconnect: the same, another, or unknown', async () => {
    const cases = [
      ['alice.1', 'alice.2', false],
      ['alice.3', 'bob.1', true],
      ['unknown.1', 'alice.4', null],
      ['alice.5', 'unknown.2', null],
    ] as const
    for (const [before, after, identityChanged] of cases) {
      const id = await connectAccount(before)
      await completeFlow(after, { integrationAccountId: id, allowOtherIdentity: true })
      const expected = [identityChanged, identityChanged]
      assert.deepEqual(await listIdentityChanges(id), expected, `${before}, ${after}`)
    }
  })

  it('reactivates an account in needs_reauth', async () => {
    const id = await connectAccount('alice.1')
    await t.database.transaction((trx) =>
      trx
        .updateTable('accounts')
        .set({ status: 'needs_reauth', status_reason: 'invalid_grant' })
        .where('account_id', '=', id)
        .execute(),
    )
    await completeFlow('alice.bad', { integrationAccountId: id })
    const before = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual([before.status, before.statusReason], ['needs_reauth', 'invalid_grant'])
    await completeFlow('alice.2', { integrationAccountId: id })
    const after = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual([after.status, after.statusReason], ['active', null])
  })
}
