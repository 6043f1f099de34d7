import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type TestApp, testApp } from '../../test/test-app.ts'
import { type ConsoleVisitor, signIn } from './test/console-visitor.ts'

describe('Live updates of the console', () => {
  let app: TestApp
  before(async () => {
    app = await testApp({ listens: true, logLevel: 'debug' })
  })
  after(() => app.close())

  interface Stream {
    readonly status: number
    /** The data of all events so far, beats left out. */
    readonly events: {
      readonly type: string
      readonly subject: string
      readonly sequence: number
    }[]
    readonly ended: Promise<unknown>
    /** Resolves when it has this many events. */
    has(count: number): Promise<void>
    close(): void
  }

  test('GET /console/live: an event of the workspace arrives, without its data', async () => {
    const stream = await open(app, await signIn(app))
    const linkId = await createLink(app)
    await stream.has(1)
    assert.deepEqual(
      stream.events.map(({ type, subject }) => [type, subject]),
      [['link.created', linkId]],
    )
    assert.deepEqual(Object.keys(stream.events[0] ?? {}), ['type', 'subject', 'sequence'])
    stream.close()
  })

  test('GET /console/live: events of the past do not arrive', async () => {
    const earlier = await createLink(app)
    const { body } = await app.call('GET', `/v1/event?subject=${earlier}&wait=20`)
    assert.equal(body.length, 1)
    const stream = await open(app, await signIn(app))
    const linkId = await createLink(app)
    await stream.has(1)
    assert.equal(stream.events[0]?.subject, linkId)
    stream.close()
  })

  test('GET /console/live: an event of another workspace never arrives', async () => {
    const other = await app.otherUser()
    const stream = await open(app, await signIn(app))
    await createLink(app, other.token)
    const linkId = await createLink(app)
    await stream.has(1)
    assert.deepEqual(
      stream.events.map(({ subject }) => subject),
      [linkId],
    )
    stream.close()
  })

  test('GET /console/live: 401 without a session', async () => {
    const stream = await open(app, undefined)
    assert.equal(stream.status, 401)
  })

  test('GET /console/live: ends when the person signs out', async () => {
    const visitor = await signIn(app)
    const stream = await open(app, visitor)
    await visitor.get('/console')
    await visitor.post('/console/sign-out')
    await stream.ended
  })

  test('GET /console/live: 429 for the seventh stream of a session', async () => {
    const visitor = await signIn(app)
    const streams = await Promise.all(Array.from({ length: 7 }, () => open(app, visitor)))
    const statuses = streams.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429])
    for (const stream of streams) stream.close()
  })

  test('GET /console/live: 200 viewers cause one request that waits for events', async () => {
    const viewers = await Promise.all(Array.from({ length: 34 }, () => signIn(app)))
    const streams = (
      await Promise.all(
        viewers.map((visitor) => Promise.all(Array.from({ length: 6 }, () => open(app, visitor)))),
      )
    ).flat()
    const countBefore = countPolls(app)
    await createLink(app)
    await Promise.all(streams.map((stream) => stream.has(1)))
    assert.equal(countPolls(app) - countBefore, 1)
    for (const stream of streams) stream.close()
  })

  test('GET /console/live: a stop of the service ends streams and does not wait for them', async () => {
    const stopped = await testApp({ listens: true })
    const stream = await open(stopped, await signIn(stopped))
    await stopped.close()
    await stream.ended
  })

  /** A stream of a visitor, over a real connection. */
  async function open(
    { app: { server } }: TestApp,
    visitor: ConsoleVisitor | undefined,
  ): Promise<Stream> {
    const { port } = server.address() as AddressInfo
    const cookie = [...(visitor?.cookies ?? [])].map((pair) => pair.join('=')).join('; ')
    const request: ClientRequest = get({
      port,
      host: '127.0.0.1',
      path: '/console/live',
      headers: { host: 'localhost:3000', cookie },
      agent: false,
    })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const events: Stream['events'] = []
    let isFollowed = Promise.withResolvers<void>()
    response.setEncoding('utf8').on('data', (text: string) => {
      for (const [, line = ''] of text.matchAll(/^data: (\{"type.*)$/gm))
        events.push(JSON.parse(line))
      isFollowed.resolve()
      isFollowed = Promise.withResolvers()
    })
    response.on('error', () => {})
    return {
      status: response.statusCode ?? 0,
      events,
      ended: once(response, 'close'),
      async has(count) {
        while (events.length < count) await isFollowed.promise
      },
      close: () => response.destroy(),
    }
  }

  async function createLink({ call }: TestApp, token?: string): Promise<string> {
    const { status, body } = await call('POST', '/v1/link', {
      body: { linkName: 'Onboarding' },
      ...(token !== undefined && { token }),
    })
    assert.equal(status, 201)
    return body.linkId
  }

  /** Requests for events that have ended. */
  function countPolls({ logs }: TestApp): number {
    return logs.filter((line) => line.includes('"route":"/api/v1/event"')).length
  }
})
