import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { expectOk, listAuditActions, testContext } from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import type { RevocationTestContext } from './test/revocation-test-context.ts'
import { getReturnParams, respondWithJson } from './test/stub-provider-context.ts'
import { sweep } from './test/sweep.ts'

describeOnBothDatabases('sweepOAuth', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: RevocationTestContext
  before(async () => {
    t = await testContext({ provider: { revocation: true }, url: await newUrl() })
  })
  after(() => t.close())
  beforeEach(async () => {
    t.revoked.length = 0
    t.respondToRevocation = (response) => response.writeHead(200).end()
    await t.database.transaction((trx) =>
      trx.updateTable('accounts').set({ deleted_at: 1, confirm_hash: null }).execute(),
    )
  })

  const getLaterTime = () => Date.now() + 15 * 60_000 + 1_000
  const connectAccount = async (access: string, body: Record<string, unknown> = {}) => {
    t.respondToToken = respondWithJson(200, {
      access_token: access,
      refresh_token: `rt_${access}`,
      expires_in: 3600,
    })
    return getReturnParams(await t.completeFlow(body)).integrationAccountId
  }
  const getRow = (id: AccountId) =>
    t.database.read
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()

  it('erases an account that was not confirmed in time, and revokes its tokens', async () => {
    const id = await connectAccount('alice.1', { confirm: true })
    await sweep(t, Date.now)
    assert.equal((await getRow(id)).deleted_at, null)
    await sweep(t, getLaterTime)
    const { deleted_at, sealed_config, public_config, confirm_hash } = await getRow(id)
    assert.notEqual(deleted_at, null)
    assert.deepEqual([sealed_config, public_config, confirm_hash], [null, null, null])
    assert.deepEqual(t.revoked, ['rt_alice.1', 'alice.1'])
    assert.deepEqual(await listAuditActions(t, id), ['account.created', 'account.unconfirmed'])
    await sweep(t, getLaterTime)
    assert.equal(t.revoked.length, 2)
  })

  it('lists a sign-in from which no one returned as an abandoned attempt, once, on two nodes too', async () => {
    const accountIdentifier = 'customer-who-left'
    await t.begin(await t.start({ accountIdentifier }))
    await t.completeFlow({ accountIdentifier })
    const list = async () =>
      expectOk(await t.call('GET', `/v1/attempt?accountIdentifier=${accountIdentifier}`))
    await sweep(t, Date.now)
    assert.deepEqual(
      (await list()).map((attempt: AnyBody) => attempt.outcome),
      ['connected'],
    )
    await Promise.all([sweep(t, getLaterTime), sweep(t, getLaterTime)])
    await sweep(t, getLaterTime)
    const abandoned = (await list()).filter((attempt: AnyBody) => attempt.outcome === 'abandoned')
    assert.equal(abandoned.length, 1)
    const { via, code, integrationDefinitionId, integrationAccountId, linkId } = abandoned[0]
    assert.deepEqual(
      [via, code, integrationDefinitionId, integrationAccountId, linkId],
      ['oauth', null, t.definitionId, null, null],
    )
  })

  it('erases the account before the provider responds', async () => {
    let respond = () => {}
    t.respondToRevocation = (response) => {
      respond = () => response.writeHead(200).end()
    }
    const id = await connectAccount('alice.1', { confirm: true })
    const runningSweep = sweep(t, getLaterTime)
    for (let attempt = 0; t.revoked.length === 0 && attempt < 400; attempt += 1) await sleep(5)
    assert.deepEqual(t.revoked, ['rt_alice.1'])
    assert.equal((await getRow(id)).sealed_config, null)
    t.respondToRevocation = (response) => response.writeHead(200).end()
    respond()
    await runningSweep
    assert.deepEqual(t.revoked, ['rt_alice.1', 'alice.1'])
  })

  it('erases the account without revoking its tokens while the same user has another account', async () => {
    await connectAccount('alice.1')
    const id = await connectAccount('alice.2', { confirm: true })
    const other = await connectAccount('bob.1', { confirm: true })
    await sweep(t, getLaterTime)
    for (const expiredId of [id, other]) assert.equal((await getRow(expiredId)).sealed_config, null)
    assert.deepEqual(t.revoked, ['rt_bob.1', 'bob.1'])
  })

  it('erases two accounts of one user, and revokes the tokens of both', async () => {
    await connectAccount('alice.1', { confirm: true })
    await connectAccount('alice.2', { confirm: true })
    await sweep(t, getLaterTime)
    assert.deepEqual(t.revoked.sort(), ['alice.1', 'alice.2', 'rt_alice.1', 'rt_alice.2'])
  })

  it('ends an unconfirmed reconnect: revokes the tokens of a different user, not those of the same user', async () => {
    const id = await connectAccount('alice.1')
    const body = { integrationAccountId: id, confirm: true, allowOtherIdentity: true }
    await connectAccount('bob.1', body)
    await connectAccount('alice.2', body)
    await sweep(t, getLaterTime)
    assert.deepEqual(t.revoked, ['rt_bob.1', 'bob.1'])
    assert.equal((await getRow(id)).credential_version, 1)
    const pendingSession = await t.database.read
      .selectFrom('oauth_sessions')
      .select(['outcome', 'sealed'])
      .where('account_id', '=', id)
      .where('outcome', '<>', 'connected')
      .execute()
    assert.deepEqual(
      pendingSession.map((row) => [row.outcome, row.sealed]),
      [
        ['oauth_attempt_invalid', null],
        ['oauth_attempt_invalid', null],
      ],
    )
  })
}
