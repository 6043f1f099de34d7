import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectCreated } from '../../../server/test/test-context.ts'
import { isLinchpinError, type LinchpinEvent } from '../../src/index.ts'
import { type SdkTestContext, startSdkTestContext } from '../sdk-test-context.ts'

const COUNT = 12

describe('events.tail()', () => {
  let context: SdkTestContext
  before(async () => {
    context = await startSdkTestContext()
  })
  after(() => context.t.close())

  const createLink = async (linkName: string) =>
    expectCreated(await context.t.call('POST', '/v1/link', { body: { linkName } }))

  it('yields past events and then new ones, in order, although connections are lost', async () => {
    let count = 0
    const linchpin = context.connect({
      maxRetries: 0,
      fetch: async (input, init) => {
        count += 1
        if (count % 3 === 1) throw new TypeError('fetch failed')
        const response = await fetch(input, init)
        if (count % 3 === 2) await response.body?.cancel()
        return count % 3 === 2 ? new Response('', { status: 503 }) : response
      },
    })
    await createLink('before')
    const found: LinchpinEvent[] = []
    const writing = (async () => {
      for (let index = 0; index < COUNT; index++) await createLink(`Link ${index}`)
    })()
    for await (const event of linchpin.events.tail({ types: 'link.*' })) {
      found.push(event)
      if (found.length === COUNT + 1) break
    }
    await writing
    const names = found.map((event) => event.type === 'link.created' && event.data.link.linkName)
    assert.deepEqual(names, ['before', ...Array.from({ length: COUNT }, (_, i) => `Link ${i}`)])
    assert.deepEqual(
      found.map(({ sequence }) => sequence),
      found.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    )
  })

  it('continues after a sequence', async () => {
    const all = await context.linchpin.events.list().first(3)
    const after = all[1]?.sequence
    for await (const event of context.linchpin.events.tail({ after })) {
      assert.equal(event.sequence, all[2]?.sequence)
      break
    }
  })

  it('ends with the reason of its signal while it waits', async () => {
    const [last] = await context.linchpin.events
      .list()
      .first(1_000)
      .then((all) => all.slice(-1))
    const reason = new Error('stopped')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 50)
    const tail = context.linchpin.events.tail(
      { after: last?.sequence },
      { signal: controller.signal },
    )
    await assert.rejects(tail.next(), reason)
  })

  it('throws events_gone when events are no longer stored', async () => {
    const linchpin = context.connect({
      fetch: async () =>
        Response.json({ error: 'events_gone', message: 'Gone.', errors: {} }, { status: 400 }),
    })
    await assert.rejects(linchpin.events.tail({ after: 1 }).next(), (error) =>
      isLinchpinError(error, 'events_gone'),
    )
  })

  it('yields events of types that this version does not know', async () => {
    const linchpin = context.connect({
      fetch: async () => Response.json([{ type: 'moon.full', sequence: 1, data: {} }]),
    })
    const { value } = await linchpin.events.tail().next()
    assert.equal(value?.type, 'moon.full')
  })
})
