import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows, testContext } from '../../../../test/test-context.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import { type PageTestContext, RETURN_URL } from '../test/page-test-context.ts'
import { getVisibleText } from '../test/test-visitor.ts'

describe('A link with limits', () => {
  let t: PageTestContext
  before(async () => {
    t = await testContext({ pages: true })
    await defineDesk(t)
  })
  after(() => t.close())

  it('shows that it is full before the form and after submission', async () => {
    const path = await t.link({ maxAccounts: 1 })
    const [one, two] = [t.visitor(), t.visitor()]
    const [first, second] = [await one.get(path), await two.get(path)]
    const submitted = await one.submit(first, createValidFormValues(t))
    assert.equal((await one.get(submitted.location ?? '')).state, 'connected')
    const secondResponse = await two.submit(second, createValidFormValues(t))
    assert.equal(secondResponse.status, 403)
    assert.equal(secondResponse.state, 'full')
    const opened = await t.visitor().get(path)
    assert.equal(opened.state, 'full')
    assert.match(getVisibleText(opened), /This link has reached its limit/)
    assert.equal(await countRows(t, 'accounts'), 1)
  })

  it('counts accounts per identifier', async () => {
    const path = await t.link({ maxAccountsPerIdentifier: 1 })
    const query = (id: string) =>
      new URLSearchParams({ accountIdentifier: id, redirectURL: RETURN_URL })
    const visitor = t.visitor()
    const submitted = await visitor.submit(
      await visitor.get(`${path}?${query('one')}`),
      createValidFormValues(t),
    )
    assert.equal(submitted.status, 303)
    const reloaded = await visitor.get(`${path}?${query('one')}`)
    assert.equal(reloaded.state, 'alreadyFinished')
    assert.match(reloaded.plain, /href="https:\/\/app\.example\.com\/connected\?tab=1&success=true/)
    assert.equal((await t.visitor().get(`${path}?${query('one')}`)).state, 'identifierFull')
    assert.equal((await visitor.get(`${path}?${query('two')}`)).state, 'form')
    const other = t.visitor()
    await other.submit(await other.get(`${path}?${query('two')}`), createValidFormValues(t))
    const full = await visitor.get(`${path}?${query('two')}`)
    assert.equal(
      full.state,
      'identifierFull',
      'an account of identifier one is shown to identifier two',
    )
  })

  it("uses its own redirect allowlist instead of the workspace's", async () => {
    const linkRedirectUrl = 'https://other.example.com/back'
    const path = await t.link({ redirectURLs: [linkRedirectUrl] })
    const openWithRedirect = (url: string) =>
      t.visitor().get(`${path}?redirectURL=${encodeURIComponent(url)}`)
    assert.equal((await openWithRedirect(linkRedirectUrl)).state, 'form')
    assert.equal((await openWithRedirect(RETURN_URL)).state, 'redirectNotAllowed')
  })

  it("may be framed by its own origins only, not by the workspace's", async () => {
    const path = await t.link({ allowedOrigins: ['https://shop.example.com'] })
    const page = await t.visitor().get(path.replace('/link/', '/link/frame/'))
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /frame-ancestors https:\/\/shop\.example\.com$/,
    )
    assert.equal(page.getData('data-origins'), 'https://shop.example.com')
  })

  it('counts opened pages, attempts, successes and failures', async () => {
    const path = await t.link({ maxAccounts: 1 })
    const visitor = t.visitor()
    const wrong = await visitor.submit(await visitor.get(path), {})
    await visitor.submit(wrong, createValidFormValues(t))
    await visitor.get(path)
    const getStats = async () => {
      const { counters, refusals } = (await t.call('GET', `/v1${path}`)).body
      return { counters, refusals }
    }
    const expected = {
      counters: { opens: 2, attempts: 2, successes: 1 },
      refusals: [
        { code: 'link_full', count: 1 },
        { code: 'validation_failed', count: 1 },
      ],
    }
    const byCode = (one: { code: string }, other: { code: string }) =>
      one.code.localeCompare(other.code)
    let stats = await getStats()
    const isFlushed = () => stats.counters.opens === 2 && stats.refusals.length === 2
    for (let attempt = 0; attempt < 100 && !isFlushed(); attempt += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      stats = await getStats()
    }
    assert.deepEqual({ ...stats, refusals: stats.refusals.sort(byCode) }, expected)
  })
})
