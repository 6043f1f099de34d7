import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { changeAccountRow, readAccountRow } from '../../../test/account-rows.ts'
import { createFactsBundle } from '../../../test/facts-bundle.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

describe('/console/connections/:integrationAccountId', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  let definitionId: string
  let now = Date.parse('2026-11-22T10:00:00.000Z')
  /** What the provider says to CHECK. */
  let status = 200
  before(async () => {
    t = await testContext({ now: () => now })
    t.stubServer.serve('/check', (_request, response) => response.writeHead(status).end('{}'))
    definitionId = (await t.createDefinition()).integrationDefinitionId
    visitor = await signIn(t, { now: () => now })
  })
  after(() => t.close())

  const connect = async () => {
    status = 200
    const config = { api_key: 'a-key-that-works', base_url: t.stubServer.url }
    const { integrationAccountId } = await t.createAccount(definitionId, {
      config,
      accountIdentifier: 'customer-41',
    })
    return `/console/connections/${integrationAccountId}`
  }
  const check = async (path: string) => {
    now += 20_000
    await visitor.get(path)
    const { status: redirect } = await visitor.post(`${path}/check`)
    assert.equal(redirect, 303)
    return visitor.follow()
  }
  /** What the page says once. */
  const readNotice = (text: string) =>
    /<div class="toast"[^>]*>(.*?)<\/div>/s
      .exec(text)?.[1]
      ?.replaceAll(/<[^>]+>/g, '')
      .trim()

  it('POST …/check: says that the credentials work, and the timeline has it', async () => {
    const path = await connect()
    const { text, visible } = await check(path)
    assert.equal(readNotice(text), 'Checked: the credentials work')
    assert.match(visible, /Timeline Events Checked just now · [^·]+ · in the console/)
    const again = await visitor.get(path)
    assert.equal(readNotice(again.text), '')
  })

  it('POST …/check: says that the provider rejects the credentials, and who has to act', async () => {
    const path = await connect()
    status = 401
    const first = await check(path)
    assert.match(readNotice(first.text) ?? '', /The status stays until a second check/)
    assert.match(first.visible, /Status Active .* Next check .* Rejected Once/)
    assert.match(first.visible, /rejected the credentials One rejection may be a mistake/)
    assert.match(first.visible, /customer-41 has to reconnect\. .*Next check: in \d+ min ?\./)
    assert.match(first.text, /<li class="quiet">(?:(?!<\/li>).)*<p>Checked<\/p>/s)
    const { text, visible } = await check(path)
    assert.equal(readNotice(text), 'The provider rejects the credentials')
    assert.match(
      visible,
      /Needs reconnecting since [^.]+The provider rejects the credentials\. customer-41/,
    )
  })

  it('POST …/check: says that an outage changes nothing', async () => {
    const path = await connect()
    status = 503
    const { text, visible } = await check(path)
    assert.equal(readNotice(text), 'The provider cannot be reached now. Nothing was changed')
    assert.doesNotMatch(visible, /Timeline Events Checked/)
  })

  it('POST …/check: another tab that refreshes itself meanwhile does not take the notice', async () => {
    const path = await connect()
    await visitor.get(path)
    await visitor.post(`${path}/check`)
    assert.equal(readNotice((await visitor.get('/console/connections')).text), '')
    assert.match(readNotice((await visitor.get(path)).text) ?? '', /the credentials work/)
    assert.equal(readNotice((await visitor.get(path)).text), '', 'once')
  })

  it('POST …/check: says that it was checked a moment ago', async () => {
    const path = await connect()
    await check(path)
    await visitor.get(path)
    await visitor.post(`${path}/check`)
    assert.match(readNotice((await visitor.follow()).text) ?? '', /^It was checked a moment ago/)
  })

  it('says since when a connection needs to be reconnected, and what is known of its credentials', async () => {
    const path = await connect()
    status = 401
    await check(path)
    await check(path)
    now += 3_600_000
    const { visible } = await visitor.get(path)
    assert.match(
      visible,
      /Needs reconnecting since 22 Nov 2026, \d\d:\d\d UTC The provider rejects/,
    )
    assert.match(visible, /Credentials Last used Never Last accepted 1 h ago[^U]* Checked 1 h ago/)
    assert.match(visible, /Last error \S+ \S+ ago The check found that the credentials do not work/)
  })

  it('says that a provider is suspect and the connection on hold, until someone says that it is no outage', async () => {
    const path = await connect()
    const id = path.slice(path.lastIndexOf('/') + 1) as AccountId
    const { definition_id, workspace_id } = await readAccountRow(t.database, id)
    const suspect = { suspects: '[]', suspect_since: now }
    await t.database.transaction(async (trx) => {
      await trx
        .insertInto('definition_health')
        .values({ ...suspect, definition_id, workspace_id })
        .onConflict((conflict) =>
          conflict.columns(['definition_id', 'workspace_id']).doUpdateSet(suspect),
        )
        .execute()
      await trx
        .updateTable('account_health')
        .set({ is_held: 1, check_at: now + 3_600_000 })
        .where('account_id', '=', id)
        .execute()
    })
    const { visible } = await visitor.get(path)
    assert.match(visible, /has rejected many connections since .* 1 connection is on hold/)
    assert.match(visible, /On hold: the provider rejected it/)
    const trustPath = `/console/integrations/${definition_id}/trust`
    const list = await visitor.get('/console/connections')
    assert.match(list.visible, /has rejected many connections since/)
    const integration = await visitor.get(`/console/integrations/${definition_id}`)
    assert.match(integration.visible, /has rejected many connections since/)
    await visitor.get(path)
    await visitor.post(trustPath)
    const { text, visible: trusted } = await visitor.follow()
    assert.match(readNotice(text) ?? '', /^Rejections count again/)
    assert.doesNotMatch(trusted, /has rejected many connections/)
  })

  it('shows each requested permission: granted, or missing', async () => {
    const path = await connect()
    const id = path.slice(path.lastIndexOf('/') + 1) as AccountId
    await changeAccountRow(t.database, id, {
      oauth_app_id: 'oap_none',
      requested_scopes: JSON.stringify(['read:jira', '<b>write:jira', 'openid']),
      granted_scopes: JSON.stringify(['read:jira', 'openid', 'more']),
      scope_source: 'reported',
      token_expires_at: now - 60_000,
      refreshed_at: now - 3_600_000,
    })
    const { text, visible } = await visitor.get(path)
    assert.match(visible, /Token expired 1 min ago Refreshed 1 h ago/)
    assert.match(
      visible,
      /Permissions Needs more permissions .*Ask for permissions.* <b>write:jira requested, missing read:jira granted openid granted more granted, not requested/,
    )
    assert.doesNotMatch(text, /<b>write/)
  })

  it('shows the facts of the provider, escaped', async () => {
    const site = { value: 's1', label: 'Acme <b>&' }
    t.stubServer.serve('/checked', (_request, response) => response.end('{}'))
    t.stubServer.serve('/facts', (_request, response) =>
      response.end(JSON.stringify({ choices: { cloud_id: [site] } })),
    )
    const code = createFactsBundle(t.stubServer.url)
    const { integrationDefinitionId } = await t.createDefinition({ code })
    const { integrationAccountId } = await t.createAccount(integrationDefinitionId ?? '')
    const { text, visible } = await visitor.get(`/console/connections/${integrationAccountId}`)
    assert.match(visible, /cloud_id Acme <b>& s1/)
    assert.doesNotMatch(text, /Acme <b>/)
  })

  it('lets support check and share, and says which role may disconnect', async () => {
    const path = await connect()
    const support = await signIn(t, { role: 'support', now: () => now })
    const { text, visible } = await support.get(path)
    assert.match(text, /<button class="button ">.*?Check now/s)
    assert.match(text, /<button class="button primary">.*?Share reconnect page/s)
    assert.match(text, /<button[^>]*disabled[^>]*>.*?Disconnect/s)
    assert.match(visible, /Disconnect Your role does not allow this. It needs the role developer/)
    const shared = await support.post(`${path}/share`)
    assert.equal(shared.status, 201)
    assert.match(shared.visible, /renew your connection to .+ on this page: http/)
    assert.match(shared.visible, /works only in browsers on this machine/)
    const viewer = await signIn(t, { role: 'viewer', now: () => now })
    assert.doesNotMatch((await viewer.get(path)).text, /<button class="button ">.*?Check now/s)
  })
})
