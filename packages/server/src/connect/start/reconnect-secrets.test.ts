import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows, fine, refused } from '../../../test/fixtures.ts'
import { json, returned, type StubWorld, startStubWorld } from '../test/stub-world.ts'

const text = { type: 'string' }

describe('POST /v1/oauth: stored secrets of the account that is reconnected', () => {
  let t: StubWorld
  let write: string
  before(async () => {
    t = await startStubWorld({
      auth: {
        input_specification: {
          type: 'object',
          properties: { shop: { ...text, 'x-secret': false }, signing_key: text },
        },
      },
    })
    t.answer = json(200, { access_token: 'at', refresh_token: 'rt', token_type: 'bearer' })
    write = await t.mint({ scopes: ['write'] })
  })
  after(() => t.close())

  const config = { shop: 'one', signing_key: 'stored-key', unknown: 'stored-too' }
  const connected = async () => String(returned(await t.through({ config })).integrationAccountId)
  const reconnect = (id: string, more: object = {}, token = write) =>
    t.call('POST', '/v1/oauth', {
      body: { integrationAccountId: id, confirm: false, ...more },
      token,
    })
  const attempts = async (id: string) => {
    const rows = await t.database.read
      .selectFrom('audit_events')
      .select('detail')
      .where('subject', '=', id)
      .where('action', '=', 'account.change_requested')
      .orderBy('event_id')
      .execute()
    return rows.map(({ detail }) => JSON.parse(detail))
  }

  it('403 secret_required: a changed field, before an attempt is stored and with an audit row', async () => {
    const id = await connected()
    const before = await countRows(t, 'oauth_attempts')
    const { errors } = refused(
      await reconnect(id, { config: { shop: 'elsewhere' } }),
      'secret_required',
    )
    assert.deepEqual(Object.keys(errors).sort(), ['config.signing_key', 'config.unknown'])
    assert.equal(await countRows(t, 'oauth_attempts'), before)
    const missing = ['signing_key', 'unknown']
    assert.deepEqual(await attempts(id), [
      { through: 'sign_in', changed: ['shop'], refused: 'secret_required', missing },
    ])
    const unknown = 'acc_00000000000000000000000000'
    refused(await reconnect(unknown, { config: { shop: 'x' } }), 'unknown_reference')
    refused(await reconnect(id, { config: { shop: 7 } }), 'validation_failed')
    const { token } = await t.stranger()
    refused(await reconnect(id, { config: { shop: 'x' } }, token), 'unknown_reference')
  })

  it('200: nothing changes, the secrets are sent again, or the caller holds credentials:read', async () => {
    const id = await connected()
    const both = await t.mint({ scopes: ['write', 'credentials:read'] })
    fine(await reconnect(id))
    fine(await reconnect(id, { config: { shop: 'one' } }))
    assert.deepEqual(await attempts(id), [])
    fine(await reconnect(id, { config: { ...config, shop: 'two' } }))
    fine(await reconnect(id, { config: { shop: 'two' } }, both))
    const row = { through: 'sign_in', changed: ['shop'] }
    assert.deepEqual(await attempts(id), [row, row])
  })
})
