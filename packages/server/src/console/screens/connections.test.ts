import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

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
