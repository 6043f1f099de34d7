import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectError, expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { generateAccessToken, hashSecret } from '../../access/auth/access-token.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { type CollectedStore, createCollectedStore } from './collected-store.ts'
import { createProxyUse, HOUR_MS, type ProxyCallUse, type ProxyUseCount } from './proxy-use.ts'
import { createRefusals, MINUTE_MS, type RefusalCount } from './refusals.ts'

const CALLER = { tokenId: 'tok_1', userId: 'usr_1', boundWorkspaceId: 'wsp_1' } as const
const USE: ProxyCallUse = {
  workspaceId: 'wsp_1',
  accountId: 'acc_1',
  userId: 'usr_1',
  tokenId: 'tok_1',
  ip: null,
}

describe('createRefusals', () => {
  let now = MINUTE_MS
  const written: RefusalCount[] = []
  const create = (
    write = async (counts: readonly RefusalCount[]) => {
      written.push(...counts)
    },
  ) => createRefusals({ now: () => now, write, flushIntervalMs: 5 })
  afterEach(() => {
    written.length = 0
  })

  it('writes one count per token, code and minute, when the minute has ended', async (t) => {
    const refusals = create()
    for (let count = 0; count < 3; count += 1)
      refusals.add({ code: 'insufficient_scope', caller: CALLER, ip: '192.0.2.1' })
    refusals.add({ code: 'token_invalid', ip: '2001:db8:1:2:3::4' })
    refusals.add({ code: 'token_invalid', ip: '2001:db8:1:2:5::6' })
    now += MINUTE_MS
    refusals.add({ code: 'insufficient_scope', caller: CALLER, ip: null })
    await t.waitFor(() => assert.equal(written.length, 2))
    assert.deepEqual(
      written.map(({ minute, code, count, ip }) => [minute, code, count, ip]),
      [
        [1, 'insufficient_scope', 3, '192.0.2.1'],
        [1, 'token_invalid', 2, '2001:db8:1:2::'],
      ],
    )
    await refusals.stop()
    assert.equal(written.length, 3, 'stopping writes the current minute')
  })

  it('stays bounded in a flood of unknown tokens, and counts all of it', async () => {
    const refusals = create()
    for (let index = 0; index < 20_000; index += 1)
      refusals.add({ code: 'token_invalid', tokenHash: `hash-${index}`, ip: null })
    refusals.add({ code: 'insufficient_scope', caller: CALLER, ip: null })
    await refusals.stop()
    assert.equal(written.length, 5_002)
    assert.equal(
      written.reduce((sum, { count }) => sum + count, 0),
      20_001,
    )
  })

  it('tries a failed write again', async (t) => {
    let failures = 2
    const refusals = create(async (counts) => {
      if (failures-- > 0) throw new Error('the database is away')
      written.push(...counts)
    })
    refusals.add({ code: 'insufficient_scope', caller: CALLER, ip: null })
    now += MINUTE_MS
    await t.waitFor(() => assert.equal(written.length, 1))
    await refusals.stop()
  })
})

describe('createProxyUse', () => {
  it('writes one count per account, token and hour, when the hour has ended', async (t) => {
    let now = HOUR_MS
    const written: ProxyUseCount[] = []
    const write = async (counts: readonly ProxyUseCount[]) => void written.push(...counts)
    const proxyUse = createProxyUse({ now: () => now, write, flushIntervalMs: 5 })
    proxyUse.add(USE, 'GET', 'api.example.com')
    proxyUse.add(USE, 'POST', 'files.example.com')
    for (let index = 0; index < 30; index += 1) proxyUse.add(USE, 'GET', `${index}.example.com`)
    now += HOUR_MS
    proxyUse.add(USE, 'PROPFIND', 'api.example.com')
    await t.waitFor(() => assert.equal(written.length, 1))
    await proxyUse.stop()
    assert.deepEqual(
      written.map(({ hour, calls, writes, hosts }) => [hour, calls, writes, hosts.size]),
      [
        [1, 32, 1, 20],
        [2, 1, 0, 1],
      ],
    )
  })
})

describeOnBothDatabases('The audit trail of refused requests', (newUrl) => {
  let t: TestContext
  let store: CollectedStore
  let now = Date.now()
  before(async () => {
    t = await testContext({ url: await newUrl() })
    store = createCollectedStore(t.database, () => now)
  })
  after(() => t.close())

  const listRefusals = async () => {
    const rows = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('action', '=', 'request.refused')
      .orderBy('event_id')
      .execute()
    return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }))
  }
  const hashOf = (token: string) => Buffer.from(hashSecret(token)).toString('base64url')

  it('contains requests with a revoked token in the trail of its workspace', async () => {
    const token = await t.createToken({ workspaceId: t.workspaceId })
    const tokens = expectOk(await t.call('GET', '/v1/user/token'))
    const { tokenId } = tokens.at(-1)
    expectOk(await t.call('DELETE', `/v1/user/token/${tokenId}`))
    const refusal = { minute: 1, code: 'token_invalid', ip: '192.0.2.1', count: 7 }
    await store.writeRefusals([{ ...refusal, tokenHash: hashOf(token) }])
    const [row] = await listRefusals()
    assert.deepEqual(
      [row?.workspace_id, row?.token_id, row?.subject, row?.outcome, row?.ip, row?.detail],
      [
        ...[t.workspaceId, tokenId, tokenId, 'refused', '192.0.2.1'],
        { code: 'token_invalid', count: 7, minute: '1970-01-01T00:01:00.000Z' },
      ],
    )
  })

  it('contains at most 100 unknown addresses per hour, outside workspaces, and no unknown token', async () => {
    const before = (await listRefusals()).length
    const flood = Array.from({ length: 300 }, (_, index) => ({
      minute: 2,
      code: 'token_invalid',
      ip: `192.0.2.${index}`,
      count: 1,
      tokenHash: hashOf(generateAccessToken()),
    }))
    await store.writeRefusals(flood)
    await store.writeRefusals(flood.map((refusal) => ({ ...refusal, minute: 3 })))
    const rows = (await listRefusals()).slice(before)
    assert.deepEqual(
      [rows.length, rows.filter(({ ip }) => ip === null).map(({ detail }) => detail.count)],
      [102, [200, 300]],
    )
    for (const { workspace_id, token_id, user_id, actor_kind } of rows)
      assert.deepEqual([workspace_id, token_id, user_id, actor_kind], [null, null, null, 'unknown'])
    now += HOUR_MS
    await store.writeRefusals(flood.slice(0, 1))
    assert.equal((await listRefusals()).at(-1)?.ip, '192.0.2.0')
  })
})

describe('Refused requests', () => {
  it('are in the audit trail after a stop: 403, and 401 with a revoked token', async () => {
    const t = await testContext()
    const token = await t.createToken({ scopes: ['read'] })
    const body = { linkName: 'a' }
    for (let count = 0; count < 2; count += 1)
      expectError(await t.call('POST', '/v1/link', { body, token }), 'insufficient_scope')
    const { tokenId } = expectOk(await t.call('GET', '/v1/user/token')).at(-1)
    expectOk(await t.call('DELETE', `/v1/user/token/${tokenId}`))
    expectError(await t.call('GET', '/v1/link', { token }), 'token_invalid')
    expectError(await t.call('GET', '/v1/link', { token: null }), 'token_missing')
    await t.app.close()
    const rows = await selectAuditEntries(t.database.read)
      .selectAll()
      .where('action', '=', 'request.refused')
      .execute()
    assert.deepEqual(
      rows
        .map(({ token_id, ip, detail }) => {
          const { code, count } = JSON.parse(detail)
          return [token_id, ip, code, count]
        })
        .sort(),
      [
        [tokenId, '127.0.0.1', 'insufficient_scope', 2],
        [tokenId, '127.0.0.1', 'token_invalid', 1],
      ],
    )
    await t.close()
  })
})
