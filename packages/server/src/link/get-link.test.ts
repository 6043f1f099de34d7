import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../test/access.ts'
import {
  created,
  fine,
  hasKeys,
  KEYS,
  refused,
  startWorld,
  type World,
} from '../../test/fixtures.ts'
import { miniBundle } from '../../test/mini-bundle.ts'

const EXTENDED = [
  ...KEYS.link,
  'counters',
  'expired',
  'integrationAccounts',
  'integrationDefinitions',
  'refusals',
]

describe('GET /v1/link/{linkId}', () => {
  let t: World
  let now = Date.now()
  let desk: Record<string, string>
  let crm: Record<string, string>
  before(async () => {
    t = await startWorld({ now: () => now })
    const sourceUrl = `${t.origin.bundle(miniBundle())}?signature=canary#part`
    desk = await t.define({ sourceUrl })
    now += 1
    crm = await t.define({ integrationType: 'CRM' })
    const gone = await t.define()
    await t.call('DELETE', `/v1/integration_definition/${gone.integrationDefinitionId}`)
    await t.define({ token: (await t.stranger()).token })
  })
  after(() => t.close())

  const make = async (more: object = {}) =>
    created(await t.call('POST', '/v1/link', { body: { linkName: 'a', ...more } }))
  const get = (linkId: string, query = '', token = t.token) =>
    t.call('GET', `/v1/link/${linkId}${query}`, { token })
  const add = async (linkId: string, more: object = {}) => {
    now += 1
    const body = {
      integrationDefinitionId: desk.integrationDefinitionId,
      integrationAccountName: 'a',
      authType: 'Api Key',
      config: { api_key: 'works', base_url: t.origin.url },
      ...more,
    }
    return created(await t.call('POST', `/v1/integration_account/link/${linkId}`, { body }))
  }

  it('200: answers the link with exactly the fields of the extended form', async () => {
    const made = await make({ expiresIn: 60, category: ['TICKETING'] })
    const link = fine(await get(made.linkId))
    hasKeys(link, EXTENDED)
    const { expired, integrationAccounts, integrationDefinitions, counters, refusals, ...rest } =
      link
    assert.deepEqual(rest, made)
    assert.deepEqual([counters, refusals], [{ opens: 0, attempts: 0, successes: 0 }, []])
    assert.deepEqual([expired, integrationAccounts], [false, []])
    for (const definition of integrationDefinitions) hasKeys(definition, KEYS.definition)
  })

  it('both lists hold its live accounts, without configuration, oldest first', async () => {
    const { linkId } = await make()
    const other = await make()
    const first = await add(linkId)
    const second = await add(linkId)
    const gone = await add(linkId)
    await t.call('DELETE', `/v1/integration_account/${gone.integrationAccountId}`)
    await add(other.linkId)
    await t.connect(String(desk.integrationDefinitionId))
    assert.notEqual(first.integrationConfiguration, null)
    const link = fine(await get(linkId))
    const expected = [first, second].map((account) => ({
      ...account,
      integrationConfiguration: null,
    }))
    assert.deepEqual(link.IntegrationAccount, expected)
    assert.deepEqual(link.integrationAccounts, expected)
    for (const account of link.integrationAccounts) hasKeys(account, KEYS.account)
  })

  it('both lists are narrowed by accountIdentifier', async () => {
    const { linkId } = await make()
    const mine = await add(linkId, { accountIdentifier: 'ada & co' })
    await add(linkId, { accountIdentifier: 'ada' })
    await add(linkId)
    const link = fine(await get(linkId, '?accountIdentifier=ada%20%26%20co'))
    for (const list of [link.IntegrationAccount, link.integrationAccounts])
      assert.deepEqual(list, [{ ...mine, integrationConfiguration: null }])
    const nobody = fine(await get(linkId, '?accountIdentifier=nobody'))
    assert.deepEqual([nobody.IntegrationAccount, nobody.integrationAccounts], [[], []])
  })

  describe('integrationDefinitions', () => {
    const allowed = async (more: object) => {
      const { linkId } = await make(more)
      const { integrationDefinitions } = fine(await get(linkId))
      return integrationDefinitions.map(
        (definition: Record<string, string>) => definition.integrationDefinitionId,
      )
    }
    const id = (definition: Record<string, string>) => definition.integrationDefinitionId

    it('are all live ones of the workspace when the link restricts nothing', async () => {
      assert.deepEqual(await allowed({}), [id(desk), id(crm)])
    })

    it('are those of its categories, or the one that it names', async () => {
      assert.deepEqual(await allowed({ category: ['CRM'] }), [id(crm)])
      assert.deepEqual(await allowed({ category: ['CRM', 'TICKETING'] }), [id(desk), id(crm)])
      assert.deepEqual(await allowed({ category: ['HRIS'] }), [])
      const integrationDefinitionId = id(desk)
      assert.deepEqual(await allowed({ integrationDefinitionId }), [id(desk)])
      assert.deepEqual(await allowed({ integrationDefinitionId, category: ['CRM'] }), [id(desk)])
    })

    it('are none once the one that it names is deleted', async () => {
      const { integrationDefinitionId } = await t.define()
      const { linkId } = await make({ integrationDefinitionId })
      fine(await t.call('DELETE', `/v1/integration_definition/${integrationDefinitionId}`))
      assert.deepEqual(fine(await get(linkId)).integrationDefinitions, [])
    })

    it('show the sourceUrl without its query, which may be a signature', async () => {
      const { linkId } = await make({ integrationDefinitionId: id(desk) })
      const answer = await get(linkId)
      const [shown] = fine(answer).integrationDefinitions
      assert.deepEqual(shown, { ...desk, sourceUrl: String(desk.sourceUrl).split('?')[0] })
      assert.equal(answer.text.includes('canary'), false)
    })
  })

  it('expired turns true at the very millisecond, and stays 200', async () => {
    const { linkId, createdAt } = await make({ expiresIn: 2 })
    const start = now
    const end = Date.parse(createdAt) + 2_000
    for (const [at, expired] of [
      [end - 1, false],
      [end, true],
      [end + 1, true],
      [end - 1, false],
    ] as const) {
      now = at
      assert.equal(fine(await get(linkId)).expired, expired)
    }
    now = start
  })

  it('a link that cannot expire never does; a revoked one is expired', async () => {
    const forever = await make({ expiresIn: 1, canExpire: false })
    const start = now
    now += 86_400_000 * 30
    assert.equal(fine(await get(forever.linkId)).expired, false)
    now = start
    fine(await t.call('DELETE', `/v1/link/${forever.linkId}`))
    assert.equal(fine(await get(forever.linkId)).expired, true)
  })

  it('404: does not tell a foreign id from one that does not exist', async () => {
    const { linkId } = await make()
    const { token } = await t.stranger()
    const { workspaceId } = created(await t.call('POST', '/v1/workspace', {}))
    const { message } = refused(await get(linkId, '', token), 'link_not_found')
    refused(await get(linkId, '', await t.mint({ workspaceId })), 'link_not_found')
    for (const unknown of [`lnk_${'0'.repeat(32)}`, 'lnk_0', linkId.toUpperCase(), 'x'.repeat(300)])
      assert.equal(refused(await get(unknown), 'link_not_found').message, message)
  })

  it('never shows a whole link id in the path of a refusal or in the log', async () => {
    const { linkId } = await make()
    const { token } = await t.stranger()
    const { path } = refused(await get(linkId, '', token), 'link_not_found')
    assert.equal(path, `/api/v1/link/${linkId.slice(0, 8)}`)
    assert.equal(t.logs.join('').includes(linkId), false)
  })

  it('400: other query names, and a group named twice', async () => {
    const { linkId } = await make()
    for (const query of ['?workspaceId=x', '?accountIdentifier=a&accountIdentifier=b', '?a'])
      refused(await get(linkId, query), 'invalid_parameter')
  })

  itGuards(() => t, 'GET', '/v1/link/lnk_0', { scope: 'read' })
})
