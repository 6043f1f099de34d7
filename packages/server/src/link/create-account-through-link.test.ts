import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import {
  auditOf,
  countRows,
  created,
  fine,
  hasKeys,
  KEYS,
  refused,
  startWorld,
  type World,
} from '../../test/fixtures.ts'
import { miniBundle } from '../../test/mini-bundle.ts'

describe('POST /v1/integration_account/link/{linkId}', () => {
  let t: World
  let now = Date.now()
  let integrationDefinitionId: string | undefined
  before(async () => {
    t = await startWorld({ now: () => now })
    integrationDefinitionId = (await t.define()).integrationDefinitionId
  })
  after(() => t.close())

  const make = async (more: object = {}, token = t.token): Promise<string> =>
    created(await t.call('POST', '/v1/link', { body: { linkName: 'a', ...more }, token })).linkId
  const add = (linkId: string, more: object = {}, token = t.token) =>
    t.call('POST', `/v1/integration_account/link/${linkId}`, {
      body: {
        integrationDefinitionId,
        integrationAccountName: 'Through a link',
        authType: 'Api Key',
        config: { api_key: 'works', base_url: t.origin.url },
        ...more,
      },
      token,
    })
  const storesNothing = async (send: () => Promise<unknown>) => {
    const before = await countRows(t, 'accounts')
    await send()
    assert.equal(await countRows(t, 'accounts'), before)
  }

  it('201: answers the account, with its link', async () => {
    const linkId = await make()
    t.origin.requests.length = 0
    const account = created(await add(linkId, { accountIdentifier: 'ada' }))
    assert.deepEqual(t.origin.requests, ['GET /check'])
    hasKeys(account, KEYS.account)
    assert.equal(account.linkId, linkId)
    assert.equal(account.workspaceId, t.workspaceId)
    assert.equal(account.accountIdentifier, 'ada')
    assert.deepEqual(account.integrationConfiguration, { base_url: t.origin.url })
    const path = `/v1/integration_account/${account.integrationAccountId}`
    assert.deepEqual(fine(await t.call('GET', path)), account)
    assert.deepEqual(await auditOf(t, account.integrationAccountId), ['account.created'])
  })

  it('201: in the workspace of the link, whatever the oldest is', async () => {
    const { workspaceId } = created(await t.call('POST', '/v1/workspace', {}))
    const linkId = await make({ workspaceId })
    const there = await t.define({ workspaceId })
    const more = { integrationDefinitionId: there.integrationDefinitionId }
    assert.equal(created(await add(linkId, more)).workspaceId, workspaceId)
    refused(await add(linkId), 'unknown_reference')
  })

  it('400 link_expired: at the very millisecond, not one before', async () => {
    const linkId = await make({ expiresIn: 1 })
    const start = now
    now = start + 999
    created(await add(linkId))
    await storesNothing(async () => {
      t.origin.requests.length = 0
      now = start + 1_000
      refused(await add(linkId), 'link_expired')
      assert.deepEqual(t.origin.requests, [], 'the provider is not asked any more')
    })
    now = start
  })

  it('400 link_revoked: also when it has expired as well', async () => {
    const linkId = await make({ expiresIn: 1 })
    fine(await t.call('DELETE', `/v1/link/${linkId}`))
    const start = now
    now += 5_000
    await storesNothing(async () => {
      refused(await add(linkId), 'link_revoked')
    })
    now = start
  })

  describe('while the credentials are being checked', () => {
    const during = async (linkId: string, happens: () => unknown) => {
      t.origin.serve('/slow/check', async (_request, response) => {
        await happens()
        response.end('{}')
      })
      return add(linkId, { config: { api_key: 'works', base_url: `${t.origin.url}/slow` } })
    }

    it('400 link_expired: the link expires', async () => {
      const linkId = await make({ expiresIn: 60 })
      const start = now
      await storesNothing(async () => {
        refused(await during(linkId, () => (now += 60_000)), 'link_expired')
      })
      now = start
    })

    it('400 link_revoked: the link is revoked', async () => {
      const linkId = await make()
      await storesNothing(async () => {
        const revoke = () => t.call('DELETE', `/v1/link/${linkId}`)
        refused(await during(linkId, revoke), 'link_revoked')
      })
    })

    it('400 unknown_reference: the definition is deleted', async () => {
      const linkId = await make()
      const made = await t.define()
      await storesNothing(async () => {
        t.origin.serve('/slow/check', async (_request, response) => {
          const path = `/v1/integration_definition/${made.integrationDefinitionId}`
          fine(await t.call('DELETE', path))
          response.end('{}')
        })
        const config = { api_key: 'works', base_url: `${t.origin.url}/slow` }
        const more = { integrationDefinitionId: made.integrationDefinitionId, config }
        refused(await add(linkId, more), 'unknown_reference')
      })
    })
  })

  it('400 unknown_reference: a definition that the link does not allow, or that is not there', async () => {
    const crm = await t.define({ integrationType: 'CRM' })
    const stranger = await t.stranger()
    const foreign = await t.define({ token: stranger.token, integrationType: 'CRM' })
    const gone = await t.define({ integrationType: 'CRM' })
    fine(await t.call('DELETE', `/v1/integration_definition/${gone.integrationDefinitionId}`))
    const ofCategory = await make({ category: ['CRM'] })
    const ofDefinition = await make({ integrationDefinitionId: crm.integrationDefinitionId })
    const allowed = { integrationDefinitionId: crm.integrationDefinitionId }
    await storesNothing(async () => {
      for (const linkId of [ofCategory, ofDefinition]) {
        refused(await add(linkId), 'unknown_reference')
        for (const id of [
          foreign.integrationDefinitionId,
          gone.integrationDefinitionId,
          `def_${'0'.repeat(26)}`,
          'nonsense',
        ])
          refused(await add(linkId, { integrationDefinitionId: id }), 'unknown_reference')
      }
    })
    created(await add(ofCategory, allowed))
    created(await add(ofDefinition, allowed))
  })

  it('400 auth_type_not_allowed: a link that prefers OAuth takes types with both URLs only', async () => {
    const spec = {
      auth_specification: {
        Full: { authorization_url: 'https://p.example/a', token_url: 'https://p.example/t' },
        Half: { token_url: 'https://p.example/t' },
        Other: { authorization_url: 'https://p.example/a' },
        Empty: { authorization_url: '', token_url: 'https://p.example/t' },
        Key: {},
      },
    }
    const made = await t.define({ code: miniBundle(spec) })
    const id = { integrationDefinitionId: made.integrationDefinitionId, config: {} }
    const linkId = await make({ preferOAuth: true })
    await storesNothing(async () => {
      for (const authType of ['Half', 'Other', 'Empty', 'Key', 'Unknown']) {
        const answer = await add(linkId, { ...id, authType })
        const { errors } = refused(answer, 'auth_type_not_allowed')
        assert.equal(errors.authType[0].message, 'Must be one of "Full".')
      }
    })
    assert.equal(created(await add(linkId, { ...id, authType: 'Full' })).authType, 'Full')
    assert.equal(created(await add(await make(), { ...id, authType: 'Key' })).authType, 'Key')
  })

  it('400 credentials_rejected and 502: as without a link', async () => {
    const linkId = await make()
    await storesNothing(async () => {
      const wrong = { api_key: 'wrong', base_url: t.origin.url }
      refused(await add(linkId, { config: wrong }), 'credentials_rejected')
      const down = { api_key: 'works', base_url: 'http://127.0.0.1:1' }
      refused(await add(linkId, { config: down }), 'provider_error')
      const broken = { api_key: 'works', mode: 'throw' }
      refused(await add(linkId, { config: broken }), 'integration_failed')
    })
  })

  it('400: names every field that is missing, wrong or unknown; the link knows the workspace', async () => {
    const linkId = await make()
    const path = `/v1/integration_account/link/${linkId}`
    const { errors } = refused(await t.call('POST', path, { body: {} }), 'validation_failed')
    assert.equal(Object.keys(errors).length, 4)
    for (const more of [{ workspaceId: t.workspaceId }, { linkId }, { accountIdentifier: 7 }]) {
      const fault = refused(await add(linkId, more), 'validation_failed')
      assert.deepEqual(Object.keys(fault.errors), Object.keys(more))
    }
  })

  it('404: does not tell a foreign link from one that does not exist', async () => {
    const linkId = await make()
    const stranger = await t.stranger()
    const { workspaceId } = created(await t.call('POST', '/v1/workspace', {}))
    const bound = await t.mint({ workspaceId })
    await storesNothing(async () => {
      const { message } = refused(await add(linkId, {}, stranger.token), 'link_not_found')
      refused(await add(linkId, {}, bound), 'link_not_found')
      for (const unknown of [`lnk_${'0'.repeat(32)}`, 'nonsense', 'x'.repeat(300)])
        assert.equal(refused(await add(unknown), 'link_not_found').message, message)
    })
  })

  itGuards(() => t, 'POST', '/v1/integration_account/link/lnk_0', {
    scope: 'accounts:write',
    body: {},
  })
})
