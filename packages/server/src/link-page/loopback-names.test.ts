import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { countRows, created } from '../../test/fixtures.ts'
import { defineDesk, rightAnswers } from './test/desk.ts'
import { framed, type PageWorld, startPageWorld } from './test/page-world.ts'
import { formOf, newPerson } from './test/person.ts'

const NAMES = ['localhost', '127.0.0.1', '[::1]'] as const

describe('the connect page under loopback names', () => {
  let t: PageWorld
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
    t = await startPageWorld({ baseUrl: () => baseUrl, now: () => now })
    definitionId = (await defineDesk(t)).definitionId
    port = (t.app.server.address() as AddressInfo).port
    relay.listen(port, '::1')
    await once(relay, 'listening')
  })
  after(async () => {
    relay.close()
    await t.close()
  })

  const at = (name: string) => `http://${name}:${port}`
  const personAt = (name: string) => newPerson(at(name), at(name))
  const link = async () => {
    const body = { linkName: 'a', integrationDefinitionId: definitionId }
    return `/link/${created(await t.call('POST', '/v1/link', { body })).linkId}?lang=en`
  }
  const warnings = () =>
    t.logs.map((line) => JSON.parse(line)).filter(({ msg }) => /another host/.test(msg ?? ''))

  for (const publicName of NAMES)
    for (const name of NAMES.filter((other) => other !== publicName))
      it(`GET /link/{id} at ${name} leads to ${publicName}, where the form connects`, async () => {
        baseUrl = at(publicName)
        const path = await link()
        const moved = await personAt(name).get(path)
        assert.deepEqual([moved.status, moved.location], [303, `${baseUrl}${path}`])
        assert.equal(moved.headers.get('set-cookie'), null)
        const person = personAt(publicName)
        const form = await person.get(path)
        const accounts = await countRows(t, 'accounts')
        const sent = await person.send(form, rightAnswers(t), { origin: at(publicName) })
        assert.equal(sent.status, 303, sent.text)
        assert.equal((await person.get(sent.location ?? '')).state, 'connected')
        assert.equal(await countRows(t, 'accounts'), accounts + 1)
      })

  for (const name of ['127.0.0.1', '[::1]'])
    it(`a frame at ${name} stays there, and its form connects`, async () => {
      baseUrl = at('localhost')
      const person = personAt(name)
      const form = await person.get(framed(await link()))
      assert.equal(form.status, 200, form.text)
      const sent = await person.send(form, rightAnswers(t), { origin: at(name) })
      assert.deepEqual([sent.status, sent.state], [200, 'connected'], sent.text)
    })

  it('a form with the Origin of the loopback name that it was sent to counts, with and without Sec-Fetch-Site', async () => {
    baseUrl = at('localhost')
    const path = await link()
    for (const site of ['same-origin', undefined]) {
      // A page that was opened before the public URL changed.
      baseUrl = at('127.0.0.1')
      const person = personAt('127.0.0.1')
      const form = await person.get(path)
      baseUrl = at('localhost')
      const { action, fields } = formOf(form)
      const answer = await fetch(at('127.0.0.1') + action, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ ...fields, ...rightAnswers(t) }),
        headers: {
          origin: at('127.0.0.1'),
          cookie: `linchpin-visit=${person.jar.get('linchpin-visit')}`,
          ...(site === undefined ? {} : { 'sec-fetch-site': site }),
        },
      })
      assert.equal(answer.status, 303, await answer.text())
      const location = answer.headers.get('location') ?? ''
      assert.ok(location.startsWith(at('127.0.0.1')), location)
      assert.equal((await person.get(location)).state, 'connected')
    }
  })

  it('a form from another loopback port, another loopback name or a foreign host is refused', async () => {
    baseUrl = at('localhost')
    const path = await link()
    const person = personAt('localhost')
    const form = await person.get(path)
    const filled = { ...formOf(form).fields, ...rightAnswers(t) }
    const origins = [
      `http://localhost:${port + 1}`,
      at('127.0.0.1'),
      at('[::1]'),
      'http://evil.example',
    ]
    for (const origin of origins)
      for (const site of ['same-origin', '']) {
        const headers = { origin, 'sec-fetch-site': site }
        const sent = await person.post(`${path.replace('?', '/connect?')}`, filled, headers)
        assert.deepEqual([sent.status, sent.state], [403, 'notOurs'], origin)
      }
  })

  it('GET /oauth/connect/{token} at another loopback name leads to the public URL', async () => {
    baseUrl = at('localhost')
    const moved = await personAt('127.0.0.1').get('/oauth/connect/token?a=b')
    assert.deepEqual([moved.status, moved.location], [303, `${baseUrl}/oauth/connect/token?a=b`])
  })

  it('a page under a foreign host is logged once an hour, with the host and no path', async () => {
    baseUrl = 'https://connect.example.com'
    const path = await link()
    now += 2 * 60 * 60 * 1_000
    const earlier = warnings().length
    const open = (host: string, url = path) =>
      t.app.inject({ url, headers: { host, 'sec-fetch-dest': 'document' } })
    for (const host of ['connect.example.com', 'CONNECT.example.com:443']) await open(host)
    assert.equal(warnings().length, earlier, 'the public host is not logged')
    const answers = [await open(`127.0.0.1:${port}`), await open('evil.example'), await open('a b')]
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 200, 200],
    )
    now += 60 * 60 * 1_000
    await open('evil.example', framed(path))
    const lines = warnings().slice(earlier)
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
    baseUrl = at('localhost')
    const url = `http://evil.example${await link()}`
    const answer = await t.app.inject({ url, headers: { host: `127.0.0.1:${port}` } })
    assert.doesNotMatch(String(answer.headers.location ?? ''), /evil/)
  })
})
