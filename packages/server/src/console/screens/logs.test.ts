import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { decodeEntities } from '../../connect/connect-page/test/test-visitor.ts'
import { readAll, signIn } from '../test/console-visitor.ts'

describe('Console: events', () => {
  let app: TestApp
  before(async () => {
    app = await testApp()
  })
  after(() => app.close())

  const createLinks = async (count: number) => {
    const before = (await app.call('GET', '/v1/event?limit=1000')).body.length
    for (let index = 0; index < count; index += 1)
      await app.call('POST', '/v1/link', { body: { linkName: `link ${index}` } })
    while ((await app.call('GET', '/v1/event?limit=1000')).body.length < before + count)
      await new Promise((resolve) => setTimeout(resolve, 20))
  }

  test('logs: without events, the page says so and shows how to follow them', async () => {
    const visitor = await signIn(app)
    const { visible } = await visitor.get('/console/logs?view=events')
    assert.match(visible, /Nothing has happened in this workspace yet/)
    assert.match(visible, /events\.tail/)
  })

  test('logs: events are listed newest first, in pages of 50, and only the first page is live', async () => {
    await createLinks(53)
    const visitor = await signIn(app)
    const first = await visitor.get('/console/logs?view=events')
    assert.equal(readAll(first, 'tr', 'id="row-').length, 50)
    assert.match(first.text, /name="linchpin-live"/)
    const [, next] = /href="(\/console\/logs\?[^"]*cursor[^"]*)"/.exec(first.text) ?? assert.fail()
    const second = await visitor.get(decodeEntities(next ?? ''))
    assert.equal(readAll(second, 'tr', 'id="row-').length, 3)
    assert.ok(!second.text.includes('name="linchpin-live"'))
    const [newest] = (await app.call('GET', '/v1/event?order=-sequence&limit=1')).body
    assert.match(first.text, new RegExp(`<tbody><tr id="row-${newest.id}"`))
  })

  test('logs: filters are in the URL and can be removed', async () => {
    await createLinks(1)
    const visitor = await signIn(app)
    const links = await visitor.get('/console/logs?view=events&type=link.*')
    assert.ok(readAll(links, 'tr', 'id="row-').length > 0)
    const none = await visitor.get('/console/logs?view=events&type=account.*&customer=%3Cb%3E')
    assert.match(none.visible, /No event on this page matches/)
    assert.ok(!none.text.includes('<b>&'))
    assert.match(none.text, /href="\/console\/logs\?view&#61;events&#38;customer&#61;%3Cb%3E"/)
    assert.equal((await visitor.get('/console/logs?view=events&type=nonsense')).status, 400)
  })

  test('logs: an event has its payload as JSON, its resource and its request ID', async () => {
    await createLinks(1)
    const [event] = (await app.call('GET', '/v1/event?order=-sequence&limit=1')).body
    const visitor = await signIn(app)
    const page = await visitor.get(`/console/logs/${event.id}`)
    assert.equal(page.title, 'link.created')
    assert.match(page.visible, /linkName/)
    assert.ok(page.visible.includes(event.cause.requestId))
    assert.equal((await visitor.get('/console/logs/evt_none')).status, 404)
  })
})
