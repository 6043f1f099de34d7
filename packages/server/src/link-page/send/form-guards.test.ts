import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows } from '../../../test/fixtures.ts'
import { defineDesk, rightAnswers } from '../test/desk.ts'
import { framed, type PageWorld, startPageWorld } from '../test/page-world.ts'
import { formOf, type Person, type Shown, wordsOf } from '../test/person.ts'

describe('a form of the connect page', () => {
  let t: PageWorld
  let path: string
  before(async () => {
    t = await startPageWorld()
    const { definitionId } = await defineDesk(t)
    path = await t.link({ integrationDefinitionId: definitionId })
  })
  after(async () => {
    const rows = [await countRows(t, 'accounts'), await countRows(t, 'visit_attempts')]
    await t.close()
    assert.deepEqual(rows, [0, 0], 'something was stored')
  })

  const isRefused = (page: Shown) => {
    assert.equal(page.status, 403, page.text)
    assert.equal(page.state, 'notOurs')
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  }
  /** Nothing was done, and the form is there again, in the visit of whoever sent it. */
  const isLost = (page: Shown) => {
    assert.deepEqual([page.status, page.state], [403, 'failed'], page.text)
    assert.equal(page.data('data-code'), 'visit_lost')
    assert.doesNotMatch(page.text, /canary/)
  }
  const filled = (form: Shown) => ({ ...formOf(form).fields, ...rightAnswers(t) })

  it('is refused without the cookie of its visit', async () => {
    const form = await t.person().get(path)
    isLost(await t.person().post(`${path}/connect`, filled(form)))
  })

  it('is refused with the cookie of another visit, and when the cookie comes twice', async () => {
    const [mine, theirs] = [t.person(), t.person()]
    const [form] = [await mine.get(path), await theirs.get(path)]
    isLost(await theirs.post(`${path}/connect`, filled(form)))
    const cookie = `linchpin-visit=${mine.jar.get('linchpin-visit')}`
    isLost(await mine.post(`${path}/connect`, filled(form), { cookie: `${cookie}; ${cookie}` }))
  })

  it('is refused from another site, whatever it carries', async () => {
    const person = t.person()
    const form = await person.get(path)
    const from = (headers: Record<string, string>) =>
      person.post(`${path}/connect`, filled(form), headers)
    isRefused(await from({ 'sec-fetch-site': 'cross-site' }))
    isRefused(await from({ 'sec-fetch-site': 'same-site' }))
    isRefused(await from({ 'sec-fetch-site': 'none' }))
    isRefused(await from({ origin: 'https://evil.example' }))
    const withoutMark = async (origin: string) => {
      const headers = { 'sec-fetch-site': '', origin }
      return person.post(`${path}/connect`, filled(form), headers)
    }
    isRefused(await withoutMark('null'))
  })

  it('is refused when its visit or its id is missing or was made up', async () => {
    const person = t.person()
    const form = await person.get(path)
    const made = async (change: Record<string, string>) =>
      isRefused(await person.post(`${path}/connect`, { ...filled(form), ...change }))
    await made({ visit: '' })
    const foreign = { ...filled(form), visit: 'x'.repeat(86) }
    isLost(await person.post(`${path}/connect`, foreign))
    await made({ visit: person.jar.get('linchpin-visit') ?? '' })
    await made({ attempt: '' })
    await made({ attempt: '../../../../etc/passwd' })
    isRefused(await person.post(`${path}/connect`, {}))
    const json = { 'content-type': 'application/json' }
    assert.ok((await person.post(`${path}/connect`, {}, json)).status >= 400)
  })

  it('of the page is not taken by the frame, nor the other way round', async () => {
    const person = t.person()
    const [page, frame] = [await person.get(path), await person.get(framed(path))]
    isRefused(await person.post(`${framed(path)}/connect`, filled(page)))
    isRefused(await person.post(`${path}/connect`, filled(frame)))
  })

  it('that names a way or a tool which is not offered here says so, and keeps no secret', async () => {
    const person: Person = t.person()
    const form = await person.get(path)
    const way = await person.post(`${path}/connect`, { ...filled(form), auth: 'Nothing' })
    assert.deepEqual([way.status, way.state], [409, 'wayChanged'])
    assert.match(wordsOf(way), /Desk is connected in another way now/)
    const gone = { ...filled(form), integration: 'other', tool: 'Other' }
    const tool = await person.post(`${path}/connect`, gone)
    assert.deepEqual([tool.status, tool.state], [410, 'notOffered'])
    assert.match(wordsOf(tool), /Other is not offered here any more/)
    assert.doesNotMatch(way.text + tool.text, /canary/)
  })

  it('larger than 64 kB is refused with a page', async () => {
    const person = t.person()
    const form = await person.get(path)
    const page = await person.post(`${path}/connect`, {
      ...filled(form),
      'field.api_key': 'x'.repeat(70_000),
    })
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.ok(page.status >= 400)
  })
})
