import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { testContext } from '../../../test/test-context.ts'
import { RATES } from './routes.ts'
import { defineDesk } from './test/desk.ts'
import type { PageTestContext } from './test/page-test-context.ts'
import { getVisibleText } from './test/test-visitor.ts'

describe('Rate limits of the connect page', () => {
  let t: PageTestContext
  before(async () => {
    t = await testContext({ pages: true })
    await defineDesk(t)
  })
  after(() => t.close())

  it('forms are limited to 30 per minute, with a page that says when to retry', async () => {
    const path = await t.link()
    const visitor = t.visitor()
    const responses = await Promise.all(
      Array.from({ length: RATES.forms + 5 }, () => visitor.post(`${path}/connect`, {})),
    )
    const stopped = responses.filter(({ status }) => status === 429)
    assert.equal(stopped.length, 5)
    const [page] = stopped
    assert.equal(page?.state, 'rateLimited')
    const seconds = Number(page?.headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= 60, String(seconds))
    assert.match(
      getVisibleText(page ?? responses[0] ?? assert.fail()),
      /Try again in \d+ (?:seconds?|minute)/,
    )
    const { plain } = await visitor.post(`${path}/connect`, { lang: 'de' })
    assert.ok(plain.includes(`href="${path}?lang=de"`), 'the page links back to the link')
    assert.equal((await visitor.get(path)).status, 200, 'pages are not limited')
    const other = await visitor.post(`${await t.link()}/connect`, {})
    assert.equal(other.status, 403, 'other links are not limited')
  })

  it('forms of an IPv6 /48 are limited to 120 per minute; there is no limit per link', async () => {
    const path = await t.link()
    const post = async (remoteAddress: string) =>
      (await t.app.inject({ method: 'POST', url: `${path}/connect`, remoteAddress })).statusCode
    const requestRepeatedly: number[] = []
    for (let at = 0; at < RATES.formsPerNetwork + 5; at += 1)
      requestRepeatedly.push(await post(`2001:db8:1:${at.toString(16)}::1`))
    assert.equal(requestRepeatedly.filter((status) => status === 429).length, 5)
    for (let at = 0; at < 605; at += 1)
      assert.notEqual(await post(`198.51.${at >> 8}.${at & 255}`), 429, `form ${at + 1}`)
    assert.notEqual(await post('2001:db8:2::1'), 429, 'customers of other networks are not limited')
  })

  it('pages are limited to 240 and submission polls to 600 per minute', async () => {
    const path = await t.link()
    const visitor = t.visitor()
    const requestRepeatedly = async (url: string, times: number) => {
      const all = []
      for (let sentCount = 0; sentCount < times; sentCount += 40)
        all.push(
          ...(await Promise.all(
            Array.from({ length: Math.min(40, times - sentCount) }, () => visitor.get(url)),
          )),
        )
      return all.filter(({ status }) => status === 429)
    }
    const pages = await requestRepeatedly(`${path}/closed`, RATES.pages + 3)
    assert.equal(pages.length, 3)
    const questions = await requestRepeatedly(
      `${path}/attempts/${'a'.repeat(22)}`,
      RATES.statusPolls + 3,
    )
    assert.equal(questions.length, 3)
    assert.deepEqual(JSON.parse(questions[0]?.text ?? ''), {
      state: 'unknown',
      code: 'rate_limited',
    })
  })

  it('requests for nonexistent links are limited to 60 per minute, requests for existing ones are not', async () => {
    let now = Date.now()
    const other = await testContext({ pages: true, now: () => now })
    try {
      await defineDesk(other)
      const [path, visitor] = [await other.link(), other.visitor()]
      const requestUnknownLink = () => visitor.get(`/link/lnk_${randomBytes(16).toString('hex')}`)
      for (let attempt = 0; attempt < RATES.unknownLinks; attempt += 1)
        assert.equal((await requestUnknownLink()).status, 404)
      assert.equal((await requestUnknownLink()).status, 404)
      const page = await requestUnknownLink()
      assert.deepEqual([page.status, page.state], [429, 'rateLimited'])
      assert.equal((await visitor.get('/link/nothing')).status, 429)
      assert.equal((await visitor.get(path)).status, 200)
      const url = `/link/lnk_${randomBytes(16).toString('hex')}`
      const otherNetworkResponse = await other.app.inject({ url, remoteAddress: '203.0.113.9' })
      assert.equal(otherNetworkResponse.statusCode, 404)
      now += 61_000
      assert.equal((await requestUnknownLink()).status, 404)
    } finally {
      await other.close()
    }
  })
})
