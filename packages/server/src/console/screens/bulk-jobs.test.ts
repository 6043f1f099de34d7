import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

describe('Console: bulk jobs', () => {
  const LIST = '/console/connections'
  const JOBS = `${LIST}/jobs`
  const HOSTILE = '=1+1"<img src=x onerror=alert(1)>'

  let t: TestContext
  let visitor: ConsoleVisitor
  let definitionId: string
  before(async () => {
    t = await testContext({ bulkIntervalMs: 1 })
    definitionId = (await t.createDefinition()).integrationDefinitionId
    visitor = await signIn(t)
  })
  after(() => t.close())

  async function createAccounts(count: number): Promise<string[]> {
    const ids: string[] = []
    for (let index = 0; index < count; index += 1) {
      const account = await t.createAccount(definitionId, { accountIdentifier: HOSTILE })
      ids.push(account.integrationAccountId)
    }
    return ids
  }

  async function select(action: string, id: readonly string[]) {
    await visitor.get(LIST)
    return visitor.post(JOBS, { action, id })
  }

  /** The page of a job, once it has finished. */
  async function finish(location = '') {
    while (true) {
      const page = await visitor.get(location)
      if (page.visible.includes('Finished')) return page
      await sleep(20)
    }
  }

  test('POST /console/connections/jobs: checks the selected connections, and its page shows the result of each', async () => {
    const ids = await createAccounts(2)
    const { location } = await select('check', ids)
    assert.match(location ?? '', /^\/console\/connections\/jobs\/blk_/)
    const { visible, text, title } = await finish(location)
    assert.equal(title, 'Check of connections')
    assert.match(visible, /2 of 2 Finished 2 done/)
    assert.equal(visible.match(/Works/g)?.length, 2)
    assert.doesNotMatch(text, /<img src=x/)
  })

  test('POST /console/connections/jobs: disconnecting shows what goes, and wants the number typed', async () => {
    const ids = await createAccounts(2)
    const confirmation = await select('delete', ids)
    assert.equal(confirmation.title, 'Disconnect 2 connections')
    assert.match(confirmation.visible, /This cannot be undone/)
    const wrong = await visitor.post(`${JOBS}/disconnect`, { number: '3' })
    assert.equal(wrong.status, 422)
    assert.match(wrong.visible, /Type the number 2\./)
    for (const id of ids)
      assert.equal(expectOk(await t.call('GET', `/v1/integration_account/${id}`)).deleted, null)
    const { location } = await visitor.post(`${JOBS}/disconnect`, { number: '2' })
    assert.match(location ?? '', /\/jobs\/blk_/)
    assert.match((await finish(location)).visible, /2 done/)
    for (const id of ids)
      assert.notEqual(expectOk(await t.call('GET', `/v1/integration_account/${id}`)).deleted, null)
  })

  test('GET /console/connections/jobs/{id}/pages: a file with the reconnect pages, in which no text is a formula', async () => {
    const ids = await createAccounts(1)
    const { location } = await select('connect_session', ids)
    const { visible } = await finish(location)
    assert.match(visible, /Download CSV/)
    const file = await visitor.get(`${location}/pages`)
    assert.match(String(file.headers['content-type']), /^text\/csv/)
    const [, row = ''] = file.text.split('\r\n')
    assert.ok(row.startsWith(`"'=1+1""<img src=x onerror=alert(1)>"`), row)
    assert.match(row, /"http[^"]*\/connect\/[^"]+"$/)
  })

  test('GET /console/connections/jobs/{id}/pages: no text is a formula behind blanks, in full width, or where a spreadsheet separates by semicolons', async () => {
    for (const [accountIdentifier, cell] of [
      [' =1+1', `"' =1+1"`],
      ['＝1+1', `"'＝1+1"`],
      ['Ada;=1+1;@x', `"Ada;'=1+1;'@x"`],
      ['1-1=0, a+b', `"1-1=0, a+b"`],
    ] as const) {
      const { integrationAccountId } = await t.createAccount(definitionId, { accountIdentifier })
      const { location } = await select('connect_session', [integrationAccountId])
      await finish(location)
      const [, row = ''] = (await visitor.get(`${location}/pages`)).text.split('\r\n')
      assert.ok(row.startsWith(`${cell},`), row)
    }
  })

  test('POST /console/connections/jobs: without a selection it says so, and nothing happens', async () => {
    const { location } = await select('check', [])
    assert.equal(location, LIST)
    assert.match((await visitor.follow()).text, /Nothing was selected/)
  })

  test('POST /console/connections/jobs: a connection that is gone is said, and nothing happens', async () => {
    const [id = ''] = await createAccounts(1)
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    await createAccounts(1)
    for (const action of ['check', 'delete']) {
      const { location } = await select(action, [id])
      assert.equal(location, LIST)
      assert.match((await visitor.follow()).text, /no longer exists/)
    }
  })

  test('GET /console/connections: support cannot disconnect, and the button names the role that can', async () => {
    await createAccounts(1)
    const support = await signIn(t, { role: 'support' })
    const { text } = await support.get(LIST)
    assert.match(text, /disabled title="[^"]*developer[^"]*">.*Disconnect…/i)
    assert.match(text, /name="action" value="connect_session"/)
  })

  test('GET /console/connections/jobs/{id}: 404 for an unknown job', async () => {
    assert.equal((await visitor.get(`${JOBS}/blk_none`)).status, 404)
  })
})
