import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows, expectError, expectOk, testContext } from '../../../../test/test-context.ts'
import { selectAuditEntries } from '../../../platform/storage/audit-inbox.ts'
import {
  getReturnParams,
  respondWithJson,
  type StubProviderContext,
} from '../test/stub-provider-context.ts'

const text = { type: 'string' }

describe('POST /v1/oauth: stored secrets of the reconnected account', () => {
  let t: StubProviderContext
  let writeToken: string
  before(async () => {
    t = await testContext({
      provider: {
        auth: {
          input_specification: {
            type: 'object',
            properties: { shop: { ...text, 'x-secret': false }, signing_key: text },
          },
        },
      },
    })
    t.respondToToken = respondWithJson(200, {
      access_token: 'at',
      refresh_token: 'rt',
      token_type: 'bearer',
    })
    writeToken = await t.createToken({ scopes: ['write'] })
  })
  after(() => t.close())

  const config = { shop: 'one', signing_key: 'stored-key', unknown: 'stored-too' }
  const connectAccount = async () =>
    String(getReturnParams(await t.completeFlow({ config })).integrationAccountId)
  const reconnect = (id: string, overrides: object = {}, token = writeToken) =>
    t.call('POST', '/v1/oauth', {
      body: { integrationAccountId: id, confirm: false, ...overrides },
      token,
    })
  const listRecordedChanges = async (id: string) => {
    const rows = await selectAuditEntries(t.database.read)
      .select('detail')
      .where('subject', '=', id)
      .where('action', '=', 'account.change_requested')
      .orderBy('event_id')
      .execute()
    return rows.map(({ detail }) => JSON.parse(detail))
  }

  it('403 secret_required: a changed field, before a session is stored and with an audit record', async () => {
    const id = await connectAccount()
    const before = await countRows(t, 'oauth_sessions')
    const { errors } = expectError(
      await reconnect(id, { config: { shop: 'elsewhere' } }),
      'secret_required',
    )
    assert.deepEqual(Object.keys(errors).sort(), ['config.signing_key', 'config.unknown'])
    assert.equal(await countRows(t, 'oauth_sessions'), before)
    const missing = ['signing_key', 'unknown']
    assert.deepEqual(await listRecordedChanges(id), [
      { through: 'sign_in', changed: ['shop'], refused: 'secret_required', missing },
    ])
    const unknown = 'acc_00000000000000000000000000'
    expectError(await reconnect(unknown, { config: { shop: 'x' } }), 'unknown_reference')
    expectError(await reconnect(id, { config: { shop: 7 } }), 'validation_failed')
    const { token } = await t.otherUser()
    expectError(await reconnect(id, { config: { shop: 'x' } }, token), 'unknown_reference')
  })

  it('200: nothing changes, the secrets are sent again, or the caller has credentials:read', async () => {
    const id = await connectAccount()
    const both = await t.createToken({ scopes: ['write', 'credentials:read'] })
    expectOk(await reconnect(id))
    expectOk(await reconnect(id, { config: { shop: 'one' } }))
    assert.deepEqual(await listRecordedChanges(id), [])
    expectOk(await reconnect(id, { config: { ...config, shop: 'two' } }))
    expectOk(await reconnect(id, { config: { shop: 'two' } }, both))
    const row = { through: 'sign_in', changed: ['shop'] }
    assert.deepEqual(await listRecordedChanges(id), [row, row])
  })
})
