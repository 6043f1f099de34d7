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

let t: World
before(async () => {
  t = await startWorld()
})
after(() => t.close())

const make = async (more: object = {}, token = t.token) =>
  created(await t.call('POST', '/v1/link', { body: { linkName: 'a', ...more }, token }))
const body = (integrationDefinitionId: string | undefined) => ({
  integrationDefinitionId,
  integrationAccountName: 'a',
  authType: 'Api Key',
  config: { api_key: 'works', base_url: t.origin.url },
})

describe('GET /v1/link', () => {
  const list = (query = '', token = t.token) => t.call('GET', `/v1/link${query}`, { token })

  it('200: answers those that were not revoked, oldest first, each with its live accounts', async () => {
    const { workspaceId } = created(await t.call('POST', '/v1/workspace', {}))
    const token = await t.mint({ workspaceId })
    assert.deepEqual(fine(await list('', token)), [])
    const { integrationDefinitionId } = await t.define({ token })
    const links = [
      await make({}, token),
      await make({ expiresIn: 1 }, token),
      await make({}, token),
    ]
    const revoked = await make({}, token)
    fine(await t.call('DELETE', `/v1/link/${revoked.linkId}`))
    await make({}, (await t.stranger()).token)
    const add = async () =>
      created(
        await t.call('POST', `/v1/integration_account/link/${links[0].linkId}`, {
          body: body(integrationDefinitionId),
        }),
      )
    const account = await add()
    await t.call('DELETE', `/v1/integration_account/${(await add()).integrationAccountId}`)
    const answer = fine(await list(`?workspaceId=${workspaceId}`))
    for (const link of answer) hasKeys(link, KEYS.link)
    const shown = { ...account, integrationConfiguration: null }
    assert.deepEqual(answer, [{ ...links[0], IntegrationAccount: [shown] }, links[1], links[2]])
    assert.deepEqual(fine(await list('', token)), answer)
  })

  it('200: pages give each once', async () => {
    const { workspaceId } = created(await t.call('POST', '/v1/workspace', {}))
    const made: string[] = []
    for (let index = 0; index < 5; index += 1) made.push((await make({ workspaceId })).linkId)
    const seen: string[] = []
    let next: string | undefined = `/v1/link?workspaceId=${workspaceId}&limit=2`
    while (next !== undefined) {
      const answer = await t.call('GET', next)
      for (const { linkId } of fine(answer)) seen.push(linkId)
      next = /\/api([^>]+)>; rel="next"$/.exec(String(answer.headers.link))?.[1]
    }
    assert.deepEqual(seen, made)
  })

  it('400: bad limits, cursors and names; 403: foreign and unknown workspaces', async () => {
    for (const query of ['limit=0', 'limit=1001', 'cursor=x', 'accountIdentifier=a'])
      refused(await list(`?${query}`), 'invalid_parameter')
    const { workspaceId } = await t.stranger()
    for (const id of [workspaceId, `wsp_${'0'.repeat(26)}`, ''])
      refused(await list(`?workspaceId=${id}`), 'workspace_not_accessible')
  })

  itGuards(() => t, 'GET', '/v1/link', { scope: 'read' })
})

describe('DELETE /v1/link/{linkId}', () => {
  const remove = (linkId: string, token = t.token) =>
    t.call('DELETE', `/v1/link/${linkId}`, { token })

  it('200: answers the link, expired; repeating it answers the same', async () => {
    const link = await make({ expiresIn: 60 })
    const answer = fine(await remove(link.linkId))
    const more = ['expired', 'integrationAccounts', 'integrationDefinitions']
    hasKeys(answer, [...KEYS.link, ...more, 'counters', 'refusals'])
    assert.equal(answer.expired, true)
    assert.deepEqual(fine(await remove(link.linkId)), answer)
    assert.deepEqual(fine(await t.call('GET', `/v1/link/${link.linkId}`)), answer)
    const trail = await auditOf(t, link.linkId.slice(0, 8))
    assert.deepEqual(trail, ['link.created', 'link.revoked'])
  })

  it('leaves its accounts as they are, and lets none be added', async () => {
    const { integrationDefinitionId } = await t.define()
    const { linkId } = await make()
    const path = `/v1/integration_account/link/${linkId}`
    const account = created(await t.call('POST', path, { body: body(integrationDefinitionId) }))
    const { integrationAccounts } = fine(await remove(linkId))
    assert.deepEqual(integrationAccounts, [{ ...account, integrationConfiguration: null }])
    const accountPath = `/v1/integration_account/${account.integrationAccountId}`
    assert.deepEqual(fine(await t.call('GET', accountPath)), account)
    const before = await countRows(t, 'accounts')
    refused(await t.call('POST', path, { body: body(integrationDefinitionId) }), 'link_revoked')
    assert.equal(await countRows(t, 'accounts'), before)
  })

  it('404: foreign and unknown ids alike, and the link stays open', async () => {
    const { linkId } = await make()
    const { token } = await t.stranger()
    const { message } = refused(await remove(linkId, token), 'link_not_found')
    for (const unknown of [`lnk_${'0'.repeat(32)}`, 'nonsense', 'x'.repeat(300)])
      assert.equal(refused(await remove(unknown), 'link_not_found').message, message)
    assert.equal(fine(await t.call('GET', `/v1/link/${linkId}`)).expired, false)
  })

  it('400: takes no query', async () => {
    refused(await remove('lnk_0?now=1'), 'invalid_parameter')
  })

  itGuards(() => t, 'DELETE', '/v1/link/lnk_0', { scope: 'links:write' })
})
