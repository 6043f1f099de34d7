import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createDataFolder, runCli } from '../../../../test/main-process.ts'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { type TestApp, testApp } from '../../../../test/test-app.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  findTokenRow,
} from '../../../../test/test-context.ts'
import type { TokenId } from '../../../access/tokens/token.ts'
import { listCreatedUsers } from '../../../access/tokens/token-store.ts'
import { createUserStore } from '../../../access/users/user-store.ts'
import { selectAuditEntries } from '../../../platform/storage/audit-inbox.ts'
import { revokeToken } from './token-command.ts'

describeOnBothDatabases('token --revoke', (newUrl) => {
  let t: TestApp
  before(async () => {
    t = await testApp({ url: await newUrl() })
  })
  after(() => t.close())

  const revoke = (tokenId: TokenId) => {
    const { database } = t
    return revokeToken({ database, users: createUserStore(database), now: Date.now }, tokenId)
  }

  it('revokes a token and all created with it at once, with an entry as of the API, and once', async () => {
    const scopes = ['read', 'tokens']
    const parent = await t.createToken({ workspaceId: t.workspaceId, scopes })
    const body = { name: 'child', scopes: ['read'] }
    const child = expectCreated(
      await t.call('POST', '/v1/user/token', { body, token: parent }),
    ).token
    expectOk(await t.call('GET', '/v1/workspace', { token: child }))
    const { token_id } = await findTokenRow(t, parent)
    assert.equal(await revoke(token_id), 2)
    for (const token of [parent, child])
      expectError(await t.call('GET', '/v1/workspace', { token }), 'token_invalid')
    assert.equal(await revoke(token_id), 0)
    assert.deepEqual(await listEntries(token_id), [
      { workspace_id: t.workspaceId, actor_kind: 'system', via: 'cli', action: 'token.revoked' },
    ])
  })

  it('keeps the users that a token created, lists them, and revokes their tokens with includeUsers', async () => {
    const admin = await t.createToken({ scopes: ['admin', 'tokens', 'read'] })
    const body = { name: 'child', scopes: ['admin'] }
    const child = expectCreated(
      await t.call('POST', '/v1/user/token', { body, token: admin }),
    ).token
    const { user, token } = expectCreated(
      await t.call('POST', '/v1/user', { body: { email: 'made@example.com' }, token: child }),
    )
    const own = { name: 'own', scopes: ['read'] }
    const minted = expectCreated(await t.call('POST', '/v1/user/token', { body: own, token })).token
    const { token: other } = await t.otherUser()
    const { token_id: tokenId } = await findTokenRow(t, admin)
    expectOk(await t.call('DELETE', `/v1/user/token/${tokenId}`))
    for (const each of [token, minted]) expectOk(await t.call('GET', '/v1/user', { token: each }))
    assert.deepEqual(await listCreatedUsers(t.database.read, tokenId), [user.userId])
    const deps = { database: t.database, users: createUserStore(t.database), now: Date.now }
    assert.equal(await revokeToken(deps, tokenId), 0)
    assert.equal(await revokeToken(deps, tokenId, { includeUsers: true }), 2)
    for (const each of [token, minted])
      expectError(await t.call('GET', '/v1/user', { token: each }), 'token_invalid')
    expectOk(await t.call('GET', '/v1/user', { token: other }))
    expectOk(await t.call('GET', '/v1/user'))
    assert.deepEqual(await listCreatedUsers(t.database.read, tokenId), [])
  })

  it('revokes a token whose parent is itself', async () => {
    const token = await t.createToken({ workspaceId: t.workspaceId })
    const { token_id } = await findTokenRow(t, token)
    await t.database.transaction((trx) =>
      trx
        .updateTable('tokens')
        .set({ parent_token_id: token_id })
        .where('token_id', '=', token_id)
        .execute(),
    )
    assert.equal(await revoke(token_id), 1)
    expectError(await t.call('GET', '/v1/workspace', { token }), 'token_invalid')
  })

  it('finds no token of another ID', async () => {
    assert.equal(await revoke('tok_none'), undefined)
  })

  async function listEntries(subject: string) {
    const rows = await selectAuditEntries(t.database.read)
      .select(['workspace_id', 'actor_kind', 'via', 'action'])
      .where('subject', '=', subject)
      .where('action', '=', 'token.revoked')
      .execute()
    return rows.map((row) => ({ ...row }))
  }
})

it('token --revoke: 64 without one ID, 66 without a database, which is not created', async () => {
  const env = { LINCHPIN_DATA_DIR: await createDataFolder() }
  for (const args of [[], ['--x'], [''], ['tok_a', 'tok_b']])
    assert.equal((await runCli(['token', '--revoke', ...args], env)).code, 64, args.join(' '))
  for (let run = 0; run < 2; run += 1) {
    const { code, stderr } = await runCli(['token', '--revoke', 'tok_a'], env)
    assert.equal(code, 66)
    assert.match(stderr, /^token: there is no database at /)
  }
})
