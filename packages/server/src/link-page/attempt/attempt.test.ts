import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows } from '../../../test/fixtures.ts'
import type { VisitAttemptRow } from '../../storage/tables.ts'
import { defineDesk, rightAnswers } from '../test/desk.ts'
import { type PageWorld, startPageWorld } from '../test/page-world.ts'
import { wordsOf } from '../test/person.ts'
import { maskSecret, unmaskSecret } from '../visit/mask.ts'
import { sweepVisitAttempts } from './sweep-visit-attempts.ts'
import { createVisitAttemptStore } from './visit-attempt-store.ts'

describe('an attempt of a visit', () => {
  let t: PageWorld
  let path: string
  let now = Date.now()
  before(async () => {
    t = await startPageWorld({ now: () => now })
    const { definitionId } = await defineDesk(t)
    path = await t.link({ integrationDefinitionId: definitionId })
  })
  after(() => t.close())

  const change = (to: Partial<VisitAttemptRow>) =>
    t.database.transaction((trx) => trx.updateTable('visit_attempts').set(to).execute())

  it('is answered to its own visit only, and is unknown to all else', async () => {
    const person = t.person()
    const form = await person.get(path)
    const attempt = form.data('data-attempt') ?? ''
    const ask = async (who: typeof person, url: string) => {
      const answer = await who.get(url)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      return [answer.status, JSON.parse(answer.text).state]
    }
    assert.deepEqual(await ask(person, `${path}/attempts/${attempt}`), [404, 'unknown'])
    await person.send(form, rightAnswers(t))
    assert.deepEqual(await ask(person, `${path}/attempts/${attempt}`), [200, 'connected'])
    const other = t.person()
    await other.get(path)
    assert.deepEqual(await ask(other, `${path}/attempts/${attempt}`), [404, 'unknown'])
    assert.deepEqual(await ask(t.person(), `${path}/attempts/${attempt}`), [404, 'unknown'])
    assert.deepEqual(await ask(person, `${await t.link()}/attempts/${attempt}`), [404, 'unknown'])
    for (const bad of ['x', `${attempt}x`, '%ff'])
      assert.equal((await person.get(`${path}/attempts/${bad}`)).status, 404)
  })

  it('that is checked right now is told as such, and given up when its node is gone', async () => {
    const person = t.person()
    const form = await person.get(path)
    const attempt = form.data('data-attempt') ?? ''
    await person.send(form, rightAnswers(t))
    await change({ state: 'running', account_id: null, finished_at: null })
    const waiting = await person.get(`${path}?attempt=${attempt}`)
    assert.equal(waiting.state, 'stillRunning')
    const twice = await person.send(form, rightAnswers(t))
    assert.equal(twice.status, 409)
    assert.equal(twice.state, 'stillRunning')
    assert.match(wordsOf(twice), /You have sent this once already.*Check again/)
    now += 3 * 60_000
    const lost = await person.get(`${path}?attempt=${attempt}`)
    assert.equal(lost.state, 'failed')
    assert.equal(lost.data('data-code'), 'integration_timeout')
  })

  it('whose account was deleted meanwhile shows the form again', async () => {
    const person = t.person()
    const form = await person.get(path)
    const done = await person.send(form, rightAnswers(t))
    const page = await person.get(done.location ?? '')
    const { integrationAccountId } = JSON.parse(page.data('data-account') ?? '{}')
    await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`)
    assert.equal((await person.get(done.location ?? '')).state, 'form')
  })

  it('is forgotten after a day', async () => {
    const deps = {
      database: t.database,
      visitAttempts: createVisitAttemptStore(t.database),
      now: () => now,
    }
    await sweepVisitAttempts(deps)
    assert.ok((await countRows(t, 'visit_attempts')) > 0)
    now += 26 * 60 * 60_000
    await sweepVisitAttempts(deps)
    assert.equal(await countRows(t, 'visit_attempts'), 0)
  })
})

describe('the mask of a secret', () => {
  it('is another each time, and comes off again', () => {
    const secret = `${'x'.repeat(42)}A`
    const masked = Array.from({ length: 50 }, () => maskSecret(secret))
    assert.equal(new Set(masked).size, 50)
    for (const one of masked) {
      assert.match(one, /^[\w-]{86}$/)
      assert.equal(unmaskSecret(one), secret)
    }
    for (const bad of ['', 'x', 'x'.repeat(85), 'x'.repeat(87), `${'x'.repeat(85)}=`])
      assert.equal(unmaskSecret(bad), undefined)
  })
})
