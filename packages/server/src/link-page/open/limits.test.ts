import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows } from '../../../test/fixtures.ts'
import { defineDesk, rightAnswers } from '../test/desk.ts'
import { HOME, type PageWorld, startPageWorld } from '../test/page-world.ts'
import { wordsOf } from '../test/person.ts'

describe('a link with limits', () => {
  let t: PageWorld
  before(async () => {
    t = await startPageWorld()
    await defineDesk(t)
  })
  after(() => t.close())

  it('shows that it is full before anything is typed, and after', async () => {
    const path = await t.link({ maxAccounts: 1 })
    const [one, two] = [t.person(), t.person()]
    const [first, second] = [await one.get(path), await two.get(path)]
    const done = await one.send(first, rightAnswers(t))
    assert.equal((await one.get(done.location ?? '')).state, 'connected')
    const late = await two.send(second, rightAnswers(t))
    assert.equal(late.status, 403)
    assert.equal(late.state, 'full')
    const opened = await t.person().get(path)
    assert.equal(opened.state, 'full')
    assert.match(wordsOf(opened), /This link is used up/)
    assert.equal(await countRows(t, 'accounts'), 1)
  })

  it('counts people apart by their identifier', async () => {
    const path = await t.link({ maxAccountsPerIdentifier: 1 })
    const query = (id: string) => new URLSearchParams({ accountIdentifier: id, redirectURL: HOME })
    const person = t.person()
    const done = await person.send(await person.get(`${path}?${query('one')}`), rightAnswers(t))
    assert.equal(done.status, 303)
    const again = await person.get(`${path}?${query('one')}`)
    assert.equal(again.state, 'alreadyFinished')
    assert.match(again.plain, /href="https:\/\/app\.example\.com\/connected\?tab=1&success=true/)
    assert.equal((await t.person().get(`${path}?${query('one')}`)).state, 'identifierFull')
    assert.equal((await person.get(`${path}?${query('two')}`)).state, 'form')
    const other = t.person()
    await other.send(await other.get(`${path}?${query('two')}`), rightAnswers(t))
    const full = await person.get(`${path}?${query('two')}`)
    assert.equal(full.state, 'identifierFull', 'what was connected for one is shown to two')
  })

  it('goes back where it says itself, and not where the workspace does', async () => {
    const own = 'https://other.example.com/back'
    const path = await t.link({ redirectURLs: [own] })
    const at = (url: string) => t.person().get(`${path}?redirectURL=${encodeURIComponent(url)}`)
    assert.equal((await at(own)).state, 'form')
    assert.equal((await at(HOME)).state, 'redirectNotAllowed')
  })

  it('may be held by its own origins, and not by those of the workspace', async () => {
    const path = await t.link({ allowedOrigins: ['https://shop.example.com'] })
    const page = await t.person().get(path.replace('/link/', '/link/frame/'))
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /frame-ancestors https:\/\/shop\.example\.com$/,
    )
    assert.equal(page.data('data-origins'), 'https://shop.example.com')
  })

  it('counts what happens', async () => {
    const path = await t.link({ maxAccounts: 1 })
    const person = t.person()
    const wrong = await person.send(await person.get(path), {})
    await person.send(wrong, rightAnswers(t))
    await person.get(path)
    const figures = async () => {
      const { counters, refusals } = (await t.call('GET', `/v1${path}`)).body
      return { counters, refusals }
    }
    const wanted = {
      counters: { opens: 2, attempts: 2, successes: 1 },
      refusals: [
        { code: 'link_full', count: 1 },
        { code: 'validation_failed', count: 1 },
      ],
    }
    const byCode = (one: { code: string }, other: { code: string }) =>
      one.code.localeCompare(other.code)
    let seen = await figures()
    for (let tries = 0; tries < 40 && seen.counters.successes === 0; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      seen = await figures()
    }
    assert.deepEqual({ ...seen, refusals: seen.refusals.sort(byCode) }, wanted)
  })
})
