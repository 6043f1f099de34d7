import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { changeAccountRow } from '../../../test/account-rows.ts'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import type { EventMetric, StatisticsEvent } from '../../activity/statistics/statistics.ts'
import { decodeEntities } from '../../connect/connect-page/test/test-visitor.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { type ConsoleVisitor, readAll, signIn } from '../test/console-visitor.ts'

describe('Console: the overview', () => {
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

  test('overview: the figures of a period, each with its chart in words and a link to its list', async () => {
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Figma' })
    const definitionId = integrationDefinitionId as 'def_'
    const count = (
      metric: EventMetric,
      times: number,
      event: Partial<Omit<StatisticsEvent, 'workspaceId' | 'metric'>> & { hoursAgo?: number } = {},
    ) => {
      const { hoursAgo = 0, ...rest } = event
      const before = now
      now -= hoursAgo * 3_600_000
      for (let index = 0; index < times; index += 1)
        t.statistics.add({ workspaceId: t.workspaceId, metric, ...rest })
      now = before
    }
    await t.statistics.flush()
    await t.database.transaction((trx) => trx.deleteFrom('statistics').execute())
    count('connects', 3, { definitionId })
    count('connects', 5, { definitionId, hoursAgo: 2 })
    count('connects', 40, { definitionId, hoursAgo: 80 })
    count('connect_failures', 2, { definitionId, code: 'provider_timeout' })
    count('needs_reauth', 1, { definitionId, code: 'invalid_grant' })
    count('proxy_calls', 98, { definitionId, code: '2xx', value: 120 })
    count('proxy_calls', 2, { definitionId, code: '5xx', value: 120 })
    count('deliveries', 4)
    count('delivery_failures', 1, { code: 'status_500' })
    await t.statistics.flush()
    const day = await visitor.get('/console')
    const figures = readAll(day, 'a', 'class="figure"')
    assert.deepEqual(figures.slice(1), [
      'Connected 8 80% of attempts succeeded',
      'Failed attempts 2 One reason',
      'Connections that ended 1 Their customers had to reconnect',
      'Requests to providers 100 120 ms on average, 2% failed',
      'Webhook deliveries 4 1 failed',
    ])
    const hours = new Date(now - 2 * 3_600_000).toISOString().slice(11, 13)
    assert.match(
      day.text,
      new RegExp(
        `aria-label="Connected, last 24 hours: 8. Most, 5, from 22 Nov, ${hours}:00 UTC."`,
      ),
    )
    for (const [text, href] of [
      [
        'The provider did not respond in time.',
        '/console/attempts?outcome=failed&code=provider_timeout',
      ],
      ['The provider had an error', '/console/logs?view=provider&outcome=5xx'],
      ['Your endpoint responded with 500', '/console/webhooks'],
      ['Connected', '/console/attempts?outcome=connected'],
      ['8 connected', `/console/attempts?integration=${definitionId}&outcome=connected`],
      ['2 failed', `/console/attempts?integration=${definitionId}&outcome=failed`],
    ]) {
      assert.ok(day.visible.includes(text ?? ''), text)
      assert.ok(decodeEntities(day.text).includes(`href="${href}"`), href)
    }
    const week = await visitor.get('/console?period=7d')
    assert.equal(readAll(week, 'a', 'class="figure"')[1], 'Connected 48 96% of attempts succeeded')
    assert.equal(readAll(week, 'a', 'aria-current="page"').at(-1), '7 days')
    assert.equal(week.text.match(/<th scope="row">/g)?.length, 7)
    const nonsense = await visitor.get('/console?period=__proto__')
    assert.equal(readAll(nonsense, 'a', 'aria-current="page"').at(-1), '24 hours')
  })

  test('overview: says so when nothing was counted, and shows what it does not know unchanged', async () => {
    await t.database.transaction((trx) => trx.deleteFrom('statistics').execute())
    const empty = await visitor.get('/console?period=90d')
    assert.match(empty.visible, /Nothing failed in this period\./)
    assert.deepEqual(readAll(empty, 'a', 'class="figure"').slice(1), [
      'Connected 0 No attempts',
      'Failed attempts 0 None',
      'Connections that ended 0 None',
      'Requests to providers 0 None through the proxy',
      'Webhook deliveries 0 No events were sent',
    ])
    for (const code of ['<script>alert(1)</script>', 'x'.repeat(64)])
      t.statistics.add({ workspaceId: t.workspaceId, metric: 'delivery_failures', code })
    await t.statistics.flush()
    const { text, visible } = await visitor.get('/console')
    assert.ok(!text.includes('<script>alert(1)'))
    assert.ok(visible.includes('x'.repeat(64)))
  })
})
