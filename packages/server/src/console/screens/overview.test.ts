import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { changeAccountRow } from '../../../test/account-rows.ts'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { decodeEntities } from '../../connect/connect-page/test/test-visitor.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { type ConsoleVisitor, readAll, signIn } from '../test/console-visitor.ts'

const NOON = Date.parse('2026-11-22T12:00:00.000Z')

let t: TestContext
let visitor: ConsoleVisitor
let now = NOON + 7_200_000
before(async () => {
  t = await testContext({ now: () => now })
  visitor = await signIn(t, { now: () => now })
})
after(() => t.close())

/** An integration with so many connections, of which so many have an error. */
const connect = async (name: string, count: number, errors: number) => {
  const { integrationDefinitionId } = await t.createDefinition({ name })
  for (let index = 0; index < count; index += 1) {
    const { integrationAccountId } = await t.createAccount(integrationDefinitionId)
    if (index < errors)
      await changeAccountRow(t.database, integrationAccountId as AccountId, {
        status: 'error',
        status_reason: 'invalid_client',
      })
  }
  // Counts are 5 seconds old at most.
  now += 6_000
  return integrationDefinitionId
}
const rejectApp = async (integrationDefinitionId: string) => {
  const { integrationOAuthAppId } = await registerOAuthApp(t, { integrationDefinitionId })
  await t.database.transaction((trx) =>
    trx
      .updateTable('oauth_apps')
      .set({ failing_since: NOON })
      .where('oauth_app_id', '=', integrationOAuthAppId as OAuthAppId)
      .execute(),
  )
}
const listNeeds = async () => {
  const page = await visitor.get('/console')
  const needs = readAll(page, 'li', 'class="line"').filter((text) => text.endsWith('Show'))
  return { ...page, needs }
}

test('overview: says nothing needs a person while all connections work', async () => {
  await connect('Jira', 3, 0)
  const { visible, needs } = await listNeeds()
  assert.match(visible, /Nothing needs a person/)
  assert.deepEqual(needs, [])
})

test('overview: says first which integration fails for everyone because its OAuth app is rejected, and since when', async () => {
  const id = await connect('HubSpot', 3, 3)
  await rejectApp(id)
  const { text, needs } = await listNeeds()
  assert.equal(
    needs[0],
    'HubSpot fails for everyone: it has rejected your OAuth app since 22 Nov 2026, 12:00 UTC . Connections with an error: 3 of 3 Show',
  )
  const href = `/console/connections?integration=${id}&status=error`
  assert.ok(decodeEntities(text).includes(`href="${href}"`))
  const group = await visitor.get(href)
  assert.match(group.visible, /HubSpot has rejected this OAuth app since 22 Nov 2026, 12:00 UTC/)
  assert.match(group.text, new RegExp(`href="/console/integrations/${id}/oauth-app"`))
  const app = await visitor.get(`/console/integrations/${id}/oauth-app`)
  assert.match(
    app.visible,
    /3\. Check it .*Client ID and secret Failed The provider has rejected the client ID or the secret since 22 Nov 2026, 12:00 UTC \. Copy the client ID/,
  )
})

test('overview: does not say that it fails for everyone while a connection works', async () => {
  await rejectApp(await connect('Slack', 2, 1))
  const { needs } = await listNeeds()
  const [slack] = needs.filter((text) => text.includes('Slack'))
  assert.match(slack ?? '', /^Slack has rejected your OAuth app since .* an error: 1 of 2 Show$/)
})

test('overview: says that none of three connections works, without an OAuth app; of two, it does not', async () => {
  await connect('Asana', 3, 3)
  await connect('Linear', 2, 2)
  const { needs } = await listNeeds()
  assert.deepEqual(
    needs.filter((text) => /Asana|Linear/.test(text)),
    ['Asana fails for everyone: none of its 3 connections works Show'],
  )
})
