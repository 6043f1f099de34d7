import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  listAuditActions,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describe('Links', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const createLink = async (overrides: object = {}, token = t.token) =>
    expectCreated(
      await t.call('POST', '/v1/link', { body: { linkName: 'a', ...overrides }, token }),
    )
  const createBody = (integrationDefinitionId: string | undefined) => ({
    integrationDefinitionId,
    integrationAccountName: 'a',
    authType: 'Api Key',
    config: { api_key: 'works', base_url: t.stubServer.url },
  })

  /** Links created within one millisecond are listed in the order of their random ids. */
  const inListOrder = <T extends { createdAt: string; linkId: string }>(links: T[]) =>
    links.toSorted((a, b) => (a.createdAt + a.linkId < b.createdAt + b.linkId ? -1 : 1))

  describe('GET /v1/link', () => {
    const list = (query = '', token = t.token) => t.call('GET', `/v1/link${query}`, { token })

    it('GET /v1/link: 200 with links that are not revoked, oldest first, each with its live accounts', async () => {
      const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
      const token = await t.createToken({ workspaceId })
      assert.deepEqual(expectOk(await list('', token)), [])
      const { integrationDefinitionId } = await t.createDefinition({ token })
      const links = [
        await createLink({}, token),
        await createLink({ expiresIn: 1 }, token),
        await createLink({}, token),
      ]
      const revoked = await createLink({}, token)
      expectOk(await t.call('DELETE', `/v1/link/${revoked.linkId}`))
      await createLink({}, (await t.otherUser()).token)
      const add = async () =>
        expectCreated(
          await t.call('POST', `/v1/integration_account/link/${links[0].linkId}`, {
            body: createBody(integrationDefinitionId),
          }),
        )
      const account = await add()
      await t.call('DELETE', `/v1/integration_account/${(await add()).integrationAccountId}`)
      const listed = expectOk(await list(`?workspaceId=${workspaceId}`))
      for (const link of listed) expectKeys(link, RESPONSE_KEYS.link)
      const expectedAccount = { ...account, integrationConfiguration: null }
      const expectedLinks = [
        { ...links[0], IntegrationAccount: [expectedAccount] },
        links[1],
        links[2],
      ]
      assert.deepEqual(listed, inListOrder(expectedLinks))
      assert.deepEqual(expectOk(await list('', token)), listed)
    })

    it('GET /v1/link: 200 pages contain each link once', async () => {
      const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
      const links: { linkId: string; createdAt: string }[] = []
      for (let index = 0; index < 5; index += 1) links.push(await createLink({ workspaceId }))
      const seenIds: string[] = []
      let next: string | undefined = `/v1/link?workspaceId=${workspaceId}&limit=2`
      while (next !== undefined) {
        const response = await t.call('GET', next)
        for (const { linkId } of expectOk(response)) seenIds.push(linkId)
        next = /\/api([^>]+)>; rel="next"$/.exec(String(response.headers.link))?.[1]
      }
      assert.deepEqual(
        seenIds,
        inListOrder(links).map(({ linkId }) => linkId),
      )
    })

    it('GET /v1/link: 200 with the links of a state, in both orders, and with their counters', async () => {
      const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
      const open = await createLink({ workspaceId })
      const later = await createLink({ workspaceId, expiresIn: 3_600 })
      const expired = await createLink({ workspaceId, expiresIn: 1 })
      const revoked = await createLink({ workspaceId })
      expectOk(await t.call('DELETE', `/v1/link/${revoked.linkId}`))
      await t.database.transaction((trx) =>
        trx
          .updateTable('links')
          .set({ expires_at: 1 })
          .where('link_id', '=', expired.linkId)
          .execute(),
      )
      const ids = async (query: string) =>
        expectOk(await list(`?workspaceId=${workspaceId}&accounts=false&${query}`)).map(
          ({ linkId }: { linkId: string }) => linkId,
        )
      const inOrder = inListOrder([open, later]).map(({ linkId }) => linkId)
      assert.deepEqual(await ids('state=open'), inOrder)
      assert.deepEqual(await ids('state=open&order=-createdAt'), inOrder.toReversed())
      assert.deepEqual(await ids('state=expired'), [expired.linkId])
      assert.deepEqual(await ids('state=revoked&order=-createdAt'), [revoked.linkId])
      const newest = expectOk(
        await list(`?workspaceId=${workspaceId}&limit=1&order=-createdAt&state=open`),
      )
      assert.deepEqual(
        newest.map(({ linkId }: { linkId: string }) => linkId),
        inOrder.slice(1),
      )
      t.counters.opened(open.linkId, t.workspaceId)
      t.counters.opened(open.linkId, t.workspaceId)
      await t.counters.flush()
      const counted = expectOk(await list(`?workspaceId=${workspaceId}&counters=true&state=open`))
      const counters = Object.fromEntries(
        counted.map((link: { linkId: string; counters: object }) => [link.linkId, link.counters]),
      )
      const none = { opens: 0, attempts: 0, successes: 0 }
      assert.deepEqual(counters, { [open.linkId]: { ...none, opens: 2 }, [later.linkId]: none })
      for (const query of ['state=gone', 'order=name', 'counters=maybe'])
        expectError(await list(`?${query}`), 'invalid_parameter')
    })

    it('GET /v1/link: 400 for invalid limits, cursors and names; 403 for foreign and unknown workspaces', async () => {
      for (const query of ['limit=0', 'limit=1001', 'cursor=x', 'accountIdentifier=a'])
        expectError(await list(`?${query}`), 'invalid_parameter')
      const { workspaceId } = await t.otherUser()
      for (const id of [workspaceId, `wsp_${'0'.repeat(26)}`, ''])
        expectError(await list(`?workspaceId=${id}`), 'workspace_not_accessible')
    })

    itRequiresScope(() => t, 'GET', '/v1/link', { scope: 'read' })
  })

  describe('DELETE /v1/link/{linkId}', () => {
    const deleteLink = (linkId: string, token = t.token) =>
      t.call('DELETE', `/v1/link/${linkId}`, { token })

    it('DELETE /v1/link/{linkId}: 200 with the expired link; repeated calls return the same', async () => {
      const link = await createLink({ expiresIn: 60 })
      const deletedLink = expectOk(await deleteLink(link.linkId))
      const overrides = [
        'expired',
        'integrationAccounts',
        'integrationDefinitions',
        'missingOAuthApps',
      ]
      expectKeys(deletedLink, [...RESPONSE_KEYS.link, ...overrides, 'counters', 'refusals'])
      assert.equal(deletedLink.expired, true)
      assert.deepEqual(expectOk(await deleteLink(link.linkId)), deletedLink)
      assert.deepEqual(expectOk(await t.call('GET', `/v1/link/${link.linkId}`)), deletedLink)
      const auditActions = await listAuditActions(t, link.linkId.slice(0, 8))
      assert.deepEqual(auditActions, ['link.created', 'link.revoked'])
    })

    it('DELETE /v1/link/{linkId}: keeps the accounts of the link and prevents new ones', async () => {
      const { integrationDefinitionId } = await t.createDefinition()
      const { linkId } = await createLink()
      const path = `/v1/integration_account/link/${linkId}`
      const account = expectCreated(
        await t.call('POST', path, { body: createBody(integrationDefinitionId) }),
      )
      const { integrationAccounts } = expectOk(await deleteLink(linkId))
      assert.deepEqual(integrationAccounts, [{ ...account, integrationConfiguration: null }])
      const accountPath = `/v1/integration_account/${account.integrationAccountId}`
      assert.deepEqual(expectOk(await t.call('GET', accountPath)), account)
      const before = await countRows(t, 'accounts')
      expectError(
        await t.call('POST', path, { body: createBody(integrationDefinitionId) }),
        'link_revoked',
      )
      assert.equal(await countRows(t, 'accounts'), before)
    })

    it('DELETE /v1/link/{linkId}: 404 for foreign and unknown ids alike, and the link stays open', async () => {
      const { linkId } = await createLink()
      const { token } = await t.otherUser()
      const { message } = expectError(await deleteLink(linkId, token), 'link_not_found')
      for (const unknown of [`lnk_${'0'.repeat(32)}`, 'nonsense', 'x'.repeat(300)])
        assert.equal(expectError(await deleteLink(unknown), 'link_not_found').message, message)
      assert.equal(expectOk(await t.call('GET', `/v1/link/${linkId}`)).expired, false)
    })

    it('DELETE /v1/link/{linkId}: 400 for an unknown query parameter', async () => {
      expectError(await deleteLink('lnk_0?now=1'), 'invalid_parameter')
    })

    itRequiresScope(() => t, 'DELETE', '/v1/link/lnk_0', { scope: 'links:write' })
  })
})
