import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectCreated, expectError, expectOk, findTokenRow } from '../../../test/test-context.ts'
import type { WithChecksum } from '../../platform/storage/row-checksum.ts'
import type { TokenRow } from '../../platform/storage/tables.ts'
import { createRowChanger, type RowChanger } from '../../platform/storage/test/changed-rows.ts'
import { createTokenStore } from '../tokens/token-store.ts'
import { hashSecret } from './hash-secret.ts'

const CHANGES: readonly Partial<WithChecksum<TokenRow>>[] = [
  { scopes: 'read write tokens' },
  { expires_at: Number.MAX_SAFE_INTEGER },
  { account_ids: 'acc_00000000000000000000000001' },
  { workspace_id: null },
  { parent_token_id: null },
  { origin: 'owner' },
  { reads_per_minute: 9 },
  { writes_per_minute: 9 },
  { created_at: 1 },
  { token_id: 'tok_00000000000000000000000001' },
  { row_checksum: 1 },
]

describeOnBothDatabases('A token that has changed on the disk', (newUrl) => {
  let t: TestApp
  let rows: RowChanger
  before(async () => {
    t = await testApp({ url: await newUrl() })
    rows = createRowChanger(t.database)
  })
  after(() => t.close())

  it('a token that another program changes loses its checksum, and is used as it is', async () => {
    const token = await t.createToken({ scopes: ['read'] })
    const change = { scopes: 'read write' }
    await update(token, change)
    assert.equal((await find(token)).row_checksum, null)
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'x' }, token }))
  })

  it('a statement that changes other columns keeps the checksum', async () => {
    const token = await t.createToken({ scopes: ['read'] })
    await update(token, { name: 'renamed', last_used_at: 5 })
    assert.notEqual((await find(token)).row_checksum, null)
    expectOk(await t.call('GET', '/v1/workspace', { token }))
  })

  it('any change that no statement made is refused with 503, and named in the log', async () => {
    await rows.withoutTrigger('tokens')
    const other = await t.createToken()
    for (const change of CHANGES) {
      const { workspaceId } = t
      const token = await t.createToken({ scopes: ['read'], workspaceId })
      expectOk(await t.call('GET', '/v1/workspace', { token }))
      const row = await find(token)
      await update(token, change)
      const from = t.logs.length
      expectError(await t.call('GET', '/v1/workspace', { token }), 'storage_unavailable')
      const id = change.token_id ?? row.token_id
      assert.match(t.logs.slice(from).join(''), new RegExp(`The row tokens/${id} is damaged`))
      expectOk(await t.call('GET', '/v1/workspace', { token: other }))
      await rows.update('tokens', 'token_id', id, row)
      expectOk(await t.call('GET', '/v1/workspace', { token }))
    }
  })

  it('a token never gives what another token allows, even if the index leads to the other', async () => {
    const weak = await t.createToken({ scopes: ['read'] })
    const strong = await findTokenRow(t, await t.createToken())
    const { token_id } = await findTokenRow(t, weak)
    await t.database.transaction(async (trx) => {
      const set = (id: TokenRow['token_id'], token_hash: Uint8Array) =>
        trx.updateTable('tokens').set({ token_hash }).where('token_id', '=', id).execute()
      await set(token_id, Buffer.from('elsewhere'))
      await set(strong.token_id, hashSecret(weak))
    })
    const body = { linkName: 'x' }
    expectError(await t.call('POST', '/v1/link', { body, token: weak }), 'storage_unavailable')
  })

  it('a damaged token keeps no other token from being reported before it expires', async () => {
    const tokens = createTokenStore(t.database)
    const [damaged, sound] = [await t.createToken({ scopes: ['read'] }), await t.createToken()]
    const expires_at = Date.now() + 60_000
    await update(sound, { expires_at, expiry_recorded: 0, row_checksum: null })
    await update(damaged, { expires_at, expiry_recorded: 0 })
    const { token_id } = await findTokenRow(t, sound)
    const mark = () => t.database.transaction((trx) => tokens.markExpiring(trx, Date.now(), 10))
    assert.deepEqual(
      (await mark()).map(({ token }) => token.tokenId),
      [token_id],
    )
    assert.deepEqual(await mark(), [])
  })

  async function find(token: string) {
    return rows.find('tokens', 'token_id', (await findTokenRow(t, token)).token_id)
  }

  async function update(token: string, change: Partial<WithChecksum<TokenRow>>): Promise<void> {
    await rows.update('tokens', 'token_id', (await findTokenRow(t, token)).token_id, change)
  }
})
