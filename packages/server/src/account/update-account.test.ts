import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import {
  auditOf,
  databaseBytes,
  digest,
  fine,
  hasKeys,
  KEYS,
  refused,
  startWorld,
  type World,
} from '../../test/fixtures.ts'

describe('POST /v1/integration_account/{integrationAccountId}', () => {
  let t: World
  let integrationDefinitionId: string
  before(async () => {
    t = await startWorld()
    integrationDefinitionId = String((await t.define()).integrationDefinitionId)
  })
  after(() => t.close())

  const make = async (config: object = { api_key: 'old-key', base_url: t.origin.url }) => {
    const made = await t.connect(integrationDefinitionId, { config, accountIdentifier: 'me' })
    t.origin.requests.length = 0
    return { made, id: String(made.integrationAccountId) }
  }
  const update = (id: string, body: unknown, token = t.token) =>
    t.call('POST', `/v1/integration_account/${id}`, { body, token })
  const secrets = async (id: string) =>
    fine(await t.call('GET', `/v1/integration_account/${id}/credentials`))

  it('200: a new name alone runs no check and touches nothing else', async () => {
    const { made, id } = await make()
    const answer = fine(await update(id, { integrationAccountName: 'New name' }))
    hasKeys(answer, KEYS.account)
    const { updatedAt, ...rest } = answer
    const { updatedAt: before, ...was } = made
    assert.deepEqual(rest, { ...was, integrationAccountName: 'New name' })
    assert.ok(updatedAt >= String(before))
    assert.deepEqual(t.origin.requests, [])
    assert.deepEqual(fine(await t.call('GET', `/v1/integration_account/${id}`)), answer)
    assert.deepEqual(await auditOf(t, id), ['account.created', 'account.updated'])
  })

  it('200: a new name, whatever becomes of the credentials at that moment', async () => {
    const { id } = await make()
    let isOver = false
    const renewing = (async () => {
      for (let version = 2; !isOver; version += 1)
        await t.database.transaction((trx) =>
          trx
            .updateTable('accounts')
            .set({ credential_version: version })
            .where('account_id', '=', id)
            .execute(),
        )
    })()
    for (let times = 0; times < 40; times += 1)
      fine(await update(id, { integrationAccountName: `Name ${times}` }))
    isOver = true
    await renewing
  })

  it('200: new secrets are checked, then they replace the old ones', async () => {
    const { id } = await make()
    fine(await update(id, { config: { api_key: 'new-key' } }))
    assert.deepEqual(t.origin.requests, ['GET /check'])
    const config = { api_key: 'new-key', base_url: t.origin.url }
    assert.deepEqual((await secrets(id)).config, config)
  })

  it('200: secrets that are left out are kept while the auth type stays', async () => {
    const { id } = await make({ api_key: 'old-key', token: 'unknown-one' })
    const answer = fine(
      await update(id, { authType: 'Api Key', config: { base_url: t.origin.url } }),
    )
    assert.deepEqual(answer.integrationConfiguration, { base_url: t.origin.url })
    assert.deepEqual((await secrets(id)).config, {
      api_key: 'old-key',
      token: 'unknown-one',
      base_url: t.origin.url,
    })
  })

  it('200: a new auth type drops the old secrets', async () => {
    const { id } = await make({ api_key: 'old-key', token: 'unknown-one' })
    const answer = fine(await update(id, { authType: 'OAuth2', config: { refresh_token: 'r' } }))
    assert.equal(answer.authType, 'OAuth2')
    assert.deepEqual(answer.integrationConfiguration, {})
    const { authType, config } = await secrets(id)
    assert.deepEqual([authType, config], ['OAuth2', { refresh_token: 'r' }])
  })

  it('200: null means absent, and an empty body changes nothing', async () => {
    const { made, id } = await make()
    const body = { integrationAccountName: null, authType: null, config: null }
    for (const given of [body, {}]) {
      const { updatedAt: _, ...rest } = fine(await update(id, given))
      const { updatedAt: __, ...was } = made
      assert.deepEqual(rest, was)
    }
    assert.deepEqual(t.origin.requests, [])
  })

  it('200: the new configuration is sealed: nothing of it is readable in the database', async () => {
    const { id } = await make()
    const canary = `canary-${crypto.randomUUID()}`
    fine(await update(id, { config: { api_key: canary } }))
    assert.equal((await databaseBytes(t)).includes(canary), false)
  })

  describe('keeps the old credentials and the name', () => {
    const unchanged = async (id: string, send: () => Promise<unknown>) => {
      const before = await digest(t)
      await send()
      assert.equal(await digest(t), before)
      assert.equal((await secrets(id)).config.api_key, 'old-key')
    }

    it('400 credentials_rejected', async () => {
      const { id } = await make()
      await unchanged(id, async () => {
        const body = { integrationAccountName: 'New', config: { api_key: 'wrong' } }
        const { errors } = refused(await update(id, body), 'credentials_rejected')
        assert.equal(errors.config[0].message, 'the provider answered 401')
      })
    })

    it('400 auth_type_not_allowed, also when only the auth type is given', async () => {
      const { id } = await make()
      await unchanged(id, async () => {
        refused(await update(id, { authType: 'Token' }), 'auth_type_not_allowed')
      })
    })

    it('400 validation_failed: by the spec, and by the body', async () => {
      const { id } = await make()
      await unchanged(id, async () => {
        const { errors } = refused(
          await update(id, { config: { api_key: 7 } }),
          'validation_failed',
        )
        assert.deepEqual(Object.keys(errors), ['config.api_key'])
        for (const body of [
          { integrationAccountName: '' },
          { config: 'x' },
          { workspaceId: t.workspaceId },
          { accountIdentifier: 'other' },
          { integrationDefinitionId },
          { deleted: null },
        ]) {
          const fault = refused(await update(id, body), 'validation_failed')
          assert.deepEqual(Object.keys(fault.errors), Object.keys(body))
        }
        refused(await t.call('POST', `/v1/integration_account/${id}`), 'malformed_json')
      })
    })

    it('502: the provider is down, or the bundle breaks', async () => {
      const { id } = await make()
      await unchanged(id, async () => {
        const nobody = { base_url: 'http://127.0.0.1:1' }
        refused(await update(id, { config: nobody }), 'provider_error')
        refused(await update(id, { config: { mode: 'throw' } }), 'integration_failed')
      })
    })
  })

  it('409 concurrent_update: of two that replace credentials at once, one wins whole', async () => {
    const { id } = await make()
    let waiting: (() => void)[] = []
    t.origin.serve('/slow/check', (_request, response) => {
      waiting.push(() => response.end('{}'))
      // Both have read the account before either is answered.
      if (waiting.length === 2) for (const go of waiting.splice(0)) go()
    })
    const base_url = `${t.origin.url}/slow`
    const answers = await Promise.all(
      ['one', 'two'].map((api_key) =>
        update(id, { integrationAccountName: api_key, config: { api_key, base_url } }),
      ),
    )
    waiting = []
    const winner = answers.findIndex(({ status }) => status === 200)
    refused(answers[1 - winner] ?? assert.fail(), 'concurrent_update')
    const name = ['one', 'two'][winner]
    assert.equal((await secrets(id)).config.api_key, name)
    assert.equal(fine(answers[winner] ?? assert.fail()).integrationAccountName, name)
  })

  it('409 concurrent_update: an account that is deleted while its new credentials are checked stays deleted', async () => {
    const { id } = await make()
    t.origin.serve('/gone/check', async (_request, response) => {
      await t.call('DELETE', `/v1/integration_account/${id}`)
      response.end('{}')
    })
    const config = { base_url: `${t.origin.url}/gone` }
    refused(await update(id, { config }), 'concurrent_update')
    const tombstone = fine(await t.call('GET', `/v1/integration_account/${id}`))
    assert.deepEqual(
      [tombstone.deleted === null, tombstone.integrationConfiguration],
      [false, null],
    )
  })

  it('404: a deleted account, and foreign and unknown ids alike', async () => {
    const { id } = await make()
    const { token } = await t.stranger()
    const body = { integrationAccountName: 'Mine now' }
    const foreign = refused(await update(id, body, token), 'integration_account_not_found').message
    fine(await t.call('DELETE', `/v1/integration_account/${id}`))
    for (const unknown of [id, `acc_${'0'.repeat(26)}`, 'nonsense', 'x'.repeat(300)])
      assert.equal(
        refused(await update(unknown, body), 'integration_account_not_found').message,
        foreign,
      )
  })

  itGuards(() => t, 'POST', '/v1/integration_account/acc_0', { scope: 'accounts:write', body: {} })
})
