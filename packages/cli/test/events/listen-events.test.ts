import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { expectCreated } from '../../../server/test/test-context.ts'
import { type CliTestContext, startCliTestContext } from '../cli-test-context.ts'

const EVENTS = 120
const CUTS = 12
const RECEIVER = 'http://receiver.example/hooks'

describe('linchpin events listen', () => {
  let c: CliTestContext
  before(async () => {
    c = await startCliTestContext()
  })
  after(() => c.close())

  it(`forwards ${EVENTS} events once, in order, signed, although ${CUTS} connections are cut, the receiver fails and the command is restarted`, async () => {
    const names = Array.from({ length: EVENTS }, (_, index) => `Link ${index}`)
    for (const linkName of names)
      expectCreated(await c.t.call('POST', '/v1/link', { body: { linkName } }))
    const accepted: string[] = []
    const requests: { body: string; headers: Record<string, string> }[] = []
    let cuts = 0
    let printed = ''
    const listen = async (stopAfter: number) => {
      const stop = new AbortController()
      const result = await c.run(
        ['events', 'listen', '--forward-to', RECEIVER, '--after', '0', '--types', 'link.created']
          .filter((arg, index) => accepted.length === 0 || (arg !== '--after' && index !== 5))
          .concat('--position', path.join(c.folder, 'position')),
        {
          signal: stop.signal,
          fetch: async (input, init) => {
            if (String(input) !== RECEIVER) {
              if (cuts < CUTS && cuts++ % 2 === 0) throw new TypeError('fetch failed')
              const response = await fetch(input, init)
              if (cuts++ < CUTS) await response.body?.cancel()
              return cuts <= CUTS ? new Response('', { status: 502 }) : response
            }
            const request = { body: String(init?.body), headers: Object(init?.headers) }
            requests.push(request)
            if (requests.length % 7 === 0) return new Response('', { status: 502 })
            if (requests.length % 11 === 0) throw new TypeError('fetch failed')
            accepted.push(JSON.parse(request.body).data.link.linkName)
            if (accepted.length === stopAfter) setImmediate(() => stop.abort())
            return new Response(null, { status: 204 })
          },
        },
      )
      printed += result.stdout + result.stderr
    }
    await listen(100)
    await listen(EVENTS)
    const distinct = accepted.filter((name, index) => accepted[index - 1] !== name)
    assert.deepEqual(distinct, names)
    assert.ok(accepted.length - distinct.length <= 1)
    const secrets = printed.match(/whsec_\S+/g) ?? []
    assert.equal(secrets.length, 1, 'the secret is printed once')
    const [last] = requests.slice(-1)
    assert.ok(last)
    new Webhook(secrets[0] ?? '').verify(last.body, last.headers)
    assert.ok(!printed.includes(c.t.token))
  })

  it('tail prints JSON lines, and trigger says that there is no endpoint', async () => {
    const stop = new AbortController()
    let count = 0
    const tail = c.run(['events', 'tail', '--after', 'oldest', '--types', 'link.*'], {
      signal: stop.signal,
      fetch: async (input, init) => {
        count += 1
        if (count === 1) return fetch(input, init)
        stop.abort()
        throw new TypeError('fetch failed')
      },
    })
    const { stdout, exitCode } = await tail
    assert.equal(exitCode, 130)
    const [first] = stdout.split('\n')
    assert.equal(JSON.parse(first ?? '').type, 'link.created')
    const refused = await c.run(['events', 'trigger', 'account.created'])
    assert.match(refused.stderr, /There is no webhook endpoint/)
    assert.equal(refused.exitCode, 2)
  })
})
