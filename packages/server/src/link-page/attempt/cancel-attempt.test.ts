import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { countRows } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { defineDesk, rightAnswers } from '../test/desk.ts'
import { type PageWorld, startPageWorld } from '../test/page-world.ts'
import type { Person } from '../test/person.ts'

describe('DELETE /link/{linkId}/attempts/{attemptId}', () => promises())
describePostgres('the same on PostgreSQL', (server) =>
  promises(() => server().createDatabase('cancel_attempt')),
)

function promises(url: () => Promise<string | undefined> = async () => undefined): void {
  let t: PageWorld
  let path: string
  let asked: PromiseWithResolvers<void>
  let answered: PromiseWithResolvers<void>
  before(async () => {
    const given = await url()
    t = await startPageWorld(given === undefined ? {} : { url: given })
    const { definitionId } = await defineDesk(t)
    path = await t.link({ integrationDefinitionId: definitionId })
    t.origin.serve('/told', async (_request, response) => {
      asked.resolve()
      await answered.promise
      response.end(JSON.stringify({ status: true }))
    })
  })
  // What a failed promise leaves waiting would keep the service from closing.
  afterEach(() => answered.resolve())
  after(() => t.close())

  const cancel = async (who: Person, attempt: string, site = 'same-origin') => {
    const cookie = [...who.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'sec-fetch-site': site }
    const url = `${path}/attempts/${attempt}`
    return (await t.app.inject({ method: 'DELETE', url, headers })).json()
  }
  /** Sends right keys, and stops where the provider is asked. */
  const begin = async () => {
    asked = Promise.withResolvers()
    answered = Promise.withResolvers()
    const person = t.person()
    const form = await person.get(path)
    const sent = person.send(form, rightAnswers(t))
    const early = sent.then((page) => assert.fail(`${page.status} before the provider was asked`))
    await Promise.race([asked.promise, early])
    return { person, form, sent, attempt: form.data('data-attempt') ?? '' }
  }

  it('takes back keys that are being checked: no account is stored, then or ever', async () => {
    const { person, form, sent, attempt } = await begin()
    assert.deepEqual(await cancel(person, attempt), { state: 'failed', code: 'cancelled' })
    answered.resolve()
    const late = await sent
    assert.deepEqual([late.state, late.data('data-code')], ['failed', 'cancelled'])
    assert.equal(await countRows(t, 'accounts'), 0)
    const twice = await person.send(form, rightAnswers(t))
    assert.equal(twice.state, 'failed')
    assert.equal(await countRows(t, 'accounts'), 0)
  })

  it('takes nothing back for other visits and other sites, and nothing that is stored', async () => {
    const { person, sent, attempt } = await begin()
    const other = t.person()
    await other.get(path)
    assert.deepEqual(await cancel(other, attempt), { state: 'unknown' })
    assert.deepEqual(await cancel(person, attempt, 'cross-site'), { state: 'running' })
    answered.resolve()
    assert.equal((await sent).status, 303)
    const { state, account } = await cancel(person, attempt)
    assert.deepEqual([state, account.integrationName], ['connected', 'Desk'])
    assert.equal(await countRows(t, 'accounts'), 1)
  })
}
