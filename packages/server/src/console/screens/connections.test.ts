import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { createSampleRows } from '../../platform/storage/test/sample-rows.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

describe('Console: connections', () => {
  const HOSTILE = '<img src=x onerror=alert(1)> "\'& \u202eLTR'

  let t: TestContext
  let now = Date.parse('2026-11-22T10:00:00.000Z')
  let visitor: ConsoleVisitor
  let definitionId: string
  before(async () => {
    t = await testContext({ now: () => now })
    visitor = await signIn(t, { now: () => now })
  })
  after(() => t.close())

  const load = (query = '') => visitor.get(`/console/connections${query}`)

  test('GET /console/connections: says in one sentence that there are none', async () => {
    const { status, visible } = await load()
    assert.equal(status, 200)
    assert.match(visible, /No customer has connected a tool yet/)
  })

  test('GET /console/connections: shows hostile names as text, and counts them by status', async () => {
    definitionId = (await t.createDefinition()).integrationDefinitionId
    await t.createAccount(definitionId, {
      integrationAccountName: HOSTILE,
      accountIdentifier: `${HOSTILE} customer`,
    })
    await t.createAccount(definitionId, {
      integrationAccountName: 'Customer-41 of another',
      accountIdentifier: 'customer-410',
    })
    await t.createAccount(definitionId, { accountIdentifier: 'customer-41' })
    now += 5_000
    const { text, visible } = await load()
    assert.doesNotMatch(text, /<img src=x/)
    // Without the character that would reverse the text after it.
    assert.ok(visible.includes(HOSTILE.replace('\u202e', '')), visible)
    assert.match(visible, /All 3 Active 3 Needs reconnecting 0/)
  })

  test('GET /console/connections?q: finds the customer whose identifier was typed before others that contain it', async () => {
    const exact = await load('?q=customer-41')
    assert.doesNotMatch(exact.visible, /customer-410/)
    const part = await load('?q=CUSTOMER-4')
    assert.match(part.visible, /customer-410/)
    assert.match((await load('?q=OF%20another')).visible, /customer-410/)
  })

  test('GET /console/connections?q: finds nothing, and each filter can be removed', async () => {
    const { text, visible } = await load(`?q=${encodeURIComponent(HOSTILE)}x&status=error`)
    assert.match(visible, /No connection matches these filters/)
    assert.match(
      text,
      /<a href="\/console\/connections" aria-label="Remove the filter|connections\?status&#61;error" aria-label="Remove/,
    )
    assert.doesNotMatch(text, /<img src=x/)
  })

  test('GET /console/connections: filters by OAuth app and by a permission that is lacking, each removable', async () => {
    const first = await registerOAuthApp(t, { integrationOAuthAppName: 'First' })
    const { integrationDefinitionId } = first
    const second = await registerOAuthApp(t, {
      integrationDefinitionId,
      integrationOAuthAppName: 'Second',
      isDefault: false,
    })
    const connect = async (name: string, app: Record<string, string>) => {
      const body = {
        integrationDefinitionId,
        integrationOAuthAppId: app.integrationOAuthAppId,
        integrationAccountName: name,
        externalId: name,
        authType: 'OAuth2',
        tokens: { refreshToken: 'r', scope: 'one' },
      }
      return expectOk(await t.call('POST', '/v1/integration_account/import', { body }))
    }
    await connect('Of the first', first)
    const { integrationAccountId } = await connect('Of the second', second)
    const ofApp = await load(`?oauthApp=${second.integrationOAuthAppId}`)
    assert.match(ofApp.visible, /Of the second/)
    assert.doesNotMatch(ofApp.visible, /Of the first/)
    assert.match(ofApp.visible, /OAuth app: Second/)
    const both = await load(`?integration=${integrationDefinitionId}`)
    assert.match(both.visible, /Any OAuth app First \(client-of-ours\) Second \(client-of-ours\)/)
    assert.match(both.visible, /Of the first/)

    const needed = { ...createSampleRows().account_scopes, scope: 'notes:write' }
    await t.database.transaction((trx) =>
      trx
        .insertInto('account_scopes')
        .values({ ...needed, workspace_id: t.workspaceId, account_id: integrationAccountId })
        .execute(),
    )
    const lacking = await load('?missingScope=notes%3Awrite')
    assert.match(lacking.visible, /Of the second/)
    assert.doesNotMatch(lacking.visible, /Of the first/)
    assert.match(lacking.text, /aria-label="Remove[^"]*Lacks permission: notes:write"/)
    for (const query of [
      '?missingScope=none',
      '?oauthApp=oap_x',
      '?oauthApp=../user',
      '?oauthApp=',
    ])
      assert.match(
        (await load(query)).visible,
        query.endsWith('=') ? /Of the first/ : /No connection/,
      )
  })
})
