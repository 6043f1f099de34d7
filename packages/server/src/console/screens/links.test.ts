import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { expectCreated, type TestContext, testContext } from '../../../test/test-context.ts'
import { decodeEntities } from '../../connect/connect-page/test/test-visitor.ts'
import { type ConsoleVisitor, readAll, signIn } from '../test/console-visitor.ts'

describe('Console: links', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  before(async () => {
    t = await testContext()
    visitor = await signIn(t)
  })
  after(() => t.close())

  const createLink = async (body: object = {}) =>
    expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'Onboarding', ...body } }))

  describe('/console/links', () => {
    it('explains links, with a button and a snippet, while there is none', async () => {
      const page = await visitor.get('/console/links')
      assert.match(page.visible, /A link is a page where customers connect their tools/)
      assert.match(page.text, /href="\/console\/links\/new"/)
      assert.match(page.text, /api\/v1\/link/)
    })

    it('lists open links with their counters, and revoked ones in a tab', async () => {
      const open = await createLink({ linkName: '<b>Open</b> \u202e' })
      const revoked = await createLink({ linkName: 'Gone' })
      await t.call('DELETE', `/v1/link/${revoked.linkId}`)
      t.counters.opened(open.linkId, t.workspaceId)
      await t.counters.flush()
      const page = await visitor.get('/console/links')
      assert.ok(decodeEntities(page.text).includes('<b>Open</b>'))
      assert.ok(!page.text.includes('<b>Open'))
      assert.ok(!page.text.includes('\u202e'))
      assert.ok(!page.text.includes('Gone'))
      assert.deepEqual(readAll(page, 'td', 'narrow').slice(0, 4), ['1', '0', '0', 'Never'])
      assert.match((await visitor.get('/console/links?state=revoked')).text, /Gone/)
      assert.match(
        (await visitor.get('/console/links?state=expired')).visible,
        /no link in this state/,
      )
    })

    it('leads without a session to the sign-in', async () => {
      const { cookies } = visitor
      const saved = new Map(cookies)
      cookies.clear()
      assert.match((await visitor.get('/console/links')).location ?? '', /^\/console\/open/)
      for (const [name, value] of saved) cookies.set(name, value)
    })
  })

  describe('/console/links/new', () => {
    it('creates a link with all settings, and shows its address', async () => {
      const { integrationDefinitionId } = await t.createDefinition({ name: 'Chosen desk' })
      await visitor.get('/console/links/new')
      const { status } = await visitor.post('/console/links/new', {
        linkName: 'All settings',
        offer: 'integrations',
        integrations: [integrationDefinitionId],
        expiresIn: '604800',
        sessionsOnly: 'on',
        maxAccounts: '7',
        maxAccountsPerIdentifier: '2',
        allowedOrigins: 'https://app.example.com\nhttps://two.example.com',
        redirectURLs: 'https://app.example.com/done',
      })
      assert.equal(status, 303)
      const page = await visitor.follow()
      assert.equal(page.title, 'All settings')
      const linkId = page.path.split('/').at(-1)
      const link = (await t.call('GET', `/v1/link/${linkId}`)).body
      assert.deepEqual(link.integrationDefinitionIds, [integrationDefinitionId])
      assert.deepEqual(
        [link.expiresIn, link.sessionsOnly, link.maxAccounts, link.maxAccountsPerIdentifier],
        [604_800, true, 7, 2],
      )
      assert.deepEqual(link.allowedOrigins, ['https://app.example.com', 'https://two.example.com'])
      assert.deepEqual(link.redirectURLs, ['https://app.example.com/done'])
    })

    it('keeps what was typed when the API refuses a field, or a name is missing', async () => {
      await visitor.get('/console/links/new')
      const page = await visitor.post('/console/links/new', {
        linkName: 'Kept name',
        maxAccounts: 'many',
        allowedOrigins: 'not an origin',
      })
      assert.equal(page.status, 422)
      assert.match(page.text, /value="Kept name"/)
      assert.match(page.text, /id="maxAccounts-error"/)
      const empty = await visitor.post('/console/links/new', { linkName: ' ', offer: 'categories' })
      assert.equal(empty.status, 422)
      assert.match(empty.visible, /Enter a name\./)
      assert.match(empty.visible, /Choose at least one\./)
    })

    it('has the permissions that sign-ins ask for, by integration, and shows them', async () => {
      const code = createMiniBundle()
      const { integrationDefinitionId, key } = await t.createDefinition({ code })
      const body = { integrationDefinitionId, clientId: 'c', optionalScopes: ['read:org', 'repo'] }
      expectCreated(await t.call('POST', '/v1/integration_oauth', { body }))
      await visitor.get('/console/links/new')
      const fields = { linkName: 'Scopes', scopes: `${key}: repo\n${key} : read:org` }
      assert.equal((await visitor.post('/console/links/new', fields)).status, 303)
      const page = await visitor.follow()
      const link = (await t.call('GET', `/v1/link/${page.path.split('/').at(-1)}`)).body
      assert.deepEqual(link.scopes, { [integrationDefinitionId]: ['repo', 'read:org'] })
      assert.match(page.visible, /Asks for .* repo read:org/)
    })

    it('says at the field what is wrong with permissions, and keeps what was typed', async () => {
      const { key } = await t.createDefinition({ code: createMiniBundle() })
      const post = async (scopes: string) => {
        await visitor.get('/console/links/new')
        const page = await visitor.post('/console/links/new', { linkName: 'Kept', scopes })
        assert.equal(page.status, 422)
        assert.match(page.text, /id="scopes"[^>]*aria-invalid="true"/)
        assert.match(page.text, /value="Kept"/)
        return page
      }
      const unknown = await post(`${key}: one two`)
      assert.match(unknown.visible, /one, two: Neither the integration nor its OAuth app has this/)
      assert.ok(unknown.text.includes(`>${key}: one two</textarea>`))
      assert.match(
        (await post('nowhere: repo')).visible,
        /nowhere: No such resource in this workspace/,
      )
      for (const text of ['repo', ':repo', `${key}:`, '\u0000'])
        assert.match((await post(text)).visible, /Each line needs the key of an integration/)
      assert.match((await post(`${key}: "quoted"`)).visible, /"quoted": /)
    })

    it('is disabled with the reason for a viewer, and refused', async () => {
      const viewer = await signIn(t, { role: 'viewer' })
      const page = await viewer.get('/console/links/new')
      assert.match(
        page.text,
        /<button type="button" class="button primary" disabled title="[^"]*support/,
      )
      const { status } = await viewer.post('/console/links/new', { linkName: 'Refused' })
      assert.equal(status, 403)
      visitor = await signIn(t)
    })
  })

  describe('/console/links/:linkId', () => {
    it('has the address, a QR code and the four snippets', async () => {
      const { linkId, url } = await createLink()
      const page = await visitor.get(`/console/links/${linkId}`)
      assert.ok(page.text.includes(url))
      assert.match(page.text, /<svg class="qr"/)
      assert.deepEqual(readAll(page, 'figcaption'), ['Script tag', 'React', 'cURL', 'TypeScript'])
    })

    it('changes what can be changed, and keeps what the API refuses', async () => {
      const { linkId } = await createLink()
      const path = `/console/links/${linkId}`
      await visitor.get(path)
      const fields = { linkName: 'Renamed', maxAccounts: '3' }
      assert.equal((await visitor.post(path, fields)).location, path)
      const changed = (await t.call('GET', `/v1/link/${linkId}`)).body
      assert.deepEqual([changed.linkName, changed.maxAccounts], ['Renamed', 3])
      await visitor.get(path)
      const refused = await visitor.post(path, { maxAccounts: '0' })
      assert.equal(refused.status, 422)
      assert.match(refused.text, /id="maxAccounts"[^>]*value="0"/)
    })

    it('revokes after a confirmation; then it says so and has no address', async () => {
      const { linkId } = await createLink()
      const path = `/console/links/${linkId}`
      const before = await visitor.get(path)
      assert.match(before.visible, /cannot be undone/)
      assert.equal((await visitor.post(`${path}/revoke`)).location, path)
      const page = await visitor.follow()
      assert.match(page.visible, /This link was revoked/)
      assert.doesNotMatch(page.text, /class="qr"/)
    })

    it('is not found for a link of another workspace', async () => {
      const { token } = await t.otherUser()
      const body = { linkName: 'Foreign' }
      const foreign = expectCreated(await t.call('POST', '/v1/link', { body, token }))
      assert.equal((await visitor.get(`/console/links/${foreign.linkId}`)).status, 404)
    })
  })

  describe('/console/preview/link', () => {
    it('shows the connect page of unsaved settings: no scripts, no forms, framed by the console only', async () => {
      const one = await t.createDefinition({ name: 'First desk' })
      await t.createDefinition({ name: 'Second desk' })
      const all = await visitor.get('/console/preview/link')
      assert.equal(all.status, 200)
      assert.match(all.visible, /First desk/)
      assert.match(all.visible, /Second desk/)
      const policy = String(all.headers['content-security-policy'])
      assert.match(policy, /frame-ancestors 'self'/)
      assert.match(policy, /form-action 'none'/)
      assert.doesNotMatch(policy, /script-src/)
      assert.equal(all.headers['x-frame-options'], 'SAMEORIGIN')
      assert.doesNotMatch(all.text, /<script/)
      assert.doesNotMatch(all.text, /href="\/link\//)
      const only = await visitor.get(
        `/console/preview/link?offer=integrations&integrations=${one.integrationDefinitionId}&lang=de&theme=dark`,
      )
      assert.match(only.text, /lang="de"/)
      assert.match(only.text, /data-theme="dark"/)
      assert.match(only.text, /data-state="form"/)
      assert.doesNotMatch(only.visible, /Second desk/)
      const none = await visitor.get('/console/preview/link?offer=categories')
      assert.match(none.text, /data-state="pickerEmpty"/)
    })

    it('opens an integration of the list with the settings kept', async () => {
      const text = decodeEntities((await visitor.get('/console/preview/link?offer=all')).text)
      const href = /href="(\/console\/preview\/link\?[^"]*integration=[^"]*)"/.exec(text)?.[1]
      assert.ok(href)
      const page = await visitor.get(href)
      assert.match(page.text, /data-state="form"/)
      assert.match(decodeEntities(page.text), /href="\/console\/preview\/link\?offer=all"/)
    })

    it('leads without a session to the sign-in', async () => {
      const { app } = t
      const response = await app.inject({
        url: '/console/preview/link',
        headers: { host: 'localhost:3000' },
      })
      assert.equal(response.statusCode, 303)
    })
  })
})
