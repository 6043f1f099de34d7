import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { countRows, expectCreated, testContext } from '../../../test/test-context.ts'
import { createValidFormValues, defineDesk } from './test/desk.ts'
import { type PageTestContext, toFramePath } from './test/page-test-context.ts'
import { createVisitor, extractForm } from './test/test-visitor.ts'

const NAMES = ['localhost', '127.0.0.1', '[::1]'] as const

describe('the connect page under loopback names', () => {
  let t: PageTestContext
  /** The service listens on 127.0.0.1 only: this is its other address. */
  const relay = createServer((socket) => {
    const service = connect(port, '127.0.0.1')
    pipeline(socket, service, socket, () => undefined)
  })
  let port: number
  let baseUrl = 'http://localhost'
  let now = Date.now()
  let definitionId: string
  before(async () => {
    t = await testContext({ pages: true, baseUrl: () => baseUrl, now: () => now })
    definitionId = (await defineDesk(t)).definitionId
    port = (t.app.server.address() as AddressInfo).port
    relay.listen(port, '::1')
    await once(relay, 'listening')
  })
  after(async () => {
    relay.close()
    await t.close()
  })

  const urlOf = (name: string) => `http://${name}:${port}`
  const visitorAt = (name: string) => createVisitor(urlOf(name), urlOf(name))
  const createLink = async () => {
    const body = { linkName: 'a', integrationDefinitionId: definitionId }
    return `/link/${expectCreated(await t.call('POST', '/v1/link', { body })).linkId}?lang=en`
  }
  const warnings = () =>
    t.logs.map((line) => JSON.parse(line)).filter(({ msg }) => /another host/.test(msg ?? ''))

  for (const publicName of NAMES)
    for (const name of NAMES.filter((other) => other !== publicName))
      it(`GET /link/{id} at ${name} redirects to ${publicName}, where the form connects`, async () => {
        baseUrl = urlOf(publicName)
        const path = await createLink()
        const redirected = await visitorAt(name).get(path)
        assert.deepEqual([redirected.status, redirected.location], [303, `${baseUrl}${path}`])
        assert.equal(redirected.headers.get('set-cookie'), null)
        const visitor = visitorAt(publicName)
        const form = await visitor.get(path)
        const accounts = await countRows(t, 'accounts')
        const submitted = await visitor.submit(form, createValidFormValues(t), {
          origin: urlOf(publicName),
        })
        assert.equal(submitted.status, 303, submitted.text)
        assert.equal((await visitor.get(submitted.location ?? '')).state, 'connected')
        assert.equal(await countRows(t, 'accounts'), accounts + 1)
      })

  for (const name of ['127.0.0.1', '[::1]'])
    it(`a frame at ${name} stays there, and its form connects`, async () => {
      baseUrl = urlOf('localhost')
      const visitor = visitorAt(name)
      const form = await visitor.get(toFramePath(await createLink()))
      assert.equal(form.status, 200, form.text)
      const submitted = await visitor.submit(form, createValidFormValues(t), {
        origin: urlOf(name),
      })
      assert.deepEqual([submitted.status, submitted.state], [200, 'connected'], submitted.text)
    })

  it('a form with the Origin of the loopback name that it was sent to is accepted, with and without Sec-Fetch-Site', async () => {
    baseUrl = urlOf('localhost')
    const path = await createLink()
    for (const site of ['same-origin', undefined]) {
      // A page that was opened before the public URL changed.
      baseUrl = urlOf('127.0.0.1')
      const visitor = visitorAt('127.0.0.1')
      const form = await visitor.get(path)
      baseUrl = urlOf('localhost')
      const { action, fields } = extractForm(form)
      const response = await fetch(urlOf('127.0.0.1') + action, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ ...fields, ...createValidFormValues(t) }),
        headers: {
          origin: urlOf('127.0.0.1'),
          cookie: `linchpin-visit=${visitor.jar.get('linchpin-visit')}`,
          ...(site === undefined ? {} : { 'sec-fetch-site': site }),
        },
      })
      assert.equal(response.status, 303, await response.text())
      const location = response.headers.get('location') ?? ''
      assert.ok(location.startsWith(urlOf('127.0.0.1')), location)
      assert.equal((await visitor.get(location)).state, 'connected')
    }
  })

  it('a form from another loopback port, another loopback name or a foreign host is rejected', async () => {
    baseUrl = urlOf('localhost')
    const path = await createLink()
    const visitor = visitorAt('localhost')
    const form = await visitor.get(path)
    const fields = { ...extractForm(form).fields, ...createValidFormValues(t) }
    const origins = [
      `http://localhost:${port + 1}`,
      urlOf('127.0.0.1'),
      urlOf('[::1]'),
      'http://evil.example',
    ]
    for (const origin of origins)
      for (const site of ['same-origin', '']) {
        const headers = { origin, 'sec-fetch-site': site }
        const submitted = await visitor.post(`${path.replace('?', '/connect?')}`, fields, headers)
        assert.deepEqual([submitted.status, submitted.state], [403, 'notOurs'], origin)
      }
  })

  it('GET /oauth/connect/{token} at another loopback name leads to the public URL', async () => {
    baseUrl = urlOf('localhost')
    const redirected = await visitorAt('127.0.0.1').get('/oauth/connect/token?a=b')
    assert.deepEqual(
      [redirected.status, redirected.location],
      [303, `${baseUrl}/oauth/connect/token?a=b`],
    )
  })

  it('a page under a foreign host is logged once an hour, with the host and no path', async () => {
    baseUrl = 'https://connect.example.com'
    const path = await createLink()
    now += 2 * 60 * 60 * 1_000
    const warningsBefore = warnings().length
    const openPage = (host: string, url = path) =>
      t.app.inject({ url, headers: { host, 'sec-fetch-dest': 'document' } })
    for (const host of ['connect.example.com', 'CONNECT.example.com:443']) await openPage(host)
    assert.equal(warnings().length, warningsBefore, 'the public host is not logged')
    const responses = [
      await openPage(`127.0.0.1:${port}`),
      await openPage('evil.example'),
      await openPage('a b'),
    ]
    assert.deepEqual(
      responses.map(({ statusCode }) => statusCode),
      [200, 200, 200],
    )
    now += 60 * 60 * 1_000
    await openPage('evil.example', toFramePath(path))
    const lines = warnings().slice(warningsBefore)
    assert.deepEqual(
      lines.map(({ level, host, publicUrl }) => [level, host, publicUrl]),
      [
        ['warn', `127.0.0.1:${port}`, baseUrl],
        ['warn', 'evil.example', baseUrl],
      ],
    )
    assert.doesNotMatch(JSON.stringify(lines), /lnk_/)
  })

  it('a target that is a whole URL leads nowhere else', async () => {
    baseUrl = urlOf('localhost')
    const url = `http://evil.example${await createLink()}`
    const response = await t.app.inject({ url, headers: { host: `127.0.0.1:${port}` } })
    assert.doesNotMatch(String(response.headers.location ?? ''), /evil/)
  })
})
