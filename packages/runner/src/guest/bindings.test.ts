import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuest, type Responder, runBundle } from '../../test/guest/guest-harness.ts'

const shared = await createGuest()

// One guest for all bodies that need no network: creating one takes 0.1 s.
const run = async (body: string, responder?: Responder) => {
  const guest = responder ? await createGuest(responder) : shared
  const before = guest.posts.length
  guest.load(`module.exports = async (command, params) => {${body}}`)
  const end = await guest.run('RUN', { secret: 's3cret' })
  const posts = guest.posts.slice(before)
  return { ...end, json: end.kind === 'exit' ? undefined : JSON.parse(end.text ?? ''), posts }
}

describe('the run binding', () => {
  for (const [value, text] of [
    ['undefined', 'null'],
    ['() => 1', 'null'],
    ['Symbol()', 'null'],
    ['null', 'null'],
    ['"a\\u2028\\ud800"', '"a\u2028\\ud800"'],
    ['({ then: (ok) => ok({ a: 1 }) })', '{"a":1}'],
    ['new Date(0)', '"1970-01-01T00:00:00.000Z"'],
    ['{}', '{}'],
  ] as const) {
    it(`answers ${value} as ${text}`, async () => {
      const { kind, text: answered } = await run(`return ${value}`)
      assert.deepEqual([kind, answered], ['done', text])
    })
  }

  for (const value of [
    '10n',
    '(() => { const a = {}; a.a = a; return a })()',
    '({ toJSON() { throw new Error("no") } })',
    '({ get x() { throw null } })',
    'new Proxy({}, { ownKeys() { throw 1 } })',
  ]) {
    it(`fails with kind output for ${value}`, async () => {
      const { kind, json } = await run(`return ${value}`)
      assert.deepEqual([kind, json.kind], ['fail', 'output'])
    })
  }

  const thrown = [
    [`new TypeError('t')`, 'TypeError', 't'],
    [`'text'`, 'Error', 'text'],
    [`null`, 'Error', 'null'],
    [`undefined`, 'Error', 'undefined'],
    [`5n`, 'Error', '5'],
    [`Symbol('s')`, 'Error', 'Symbol(s)'],
    [`{ a: 1 }`, 'Error', '{"a":1}'],
    [
      `{ name: 'AxiosError', message: 'Request failed', config: { headers: {} } }`,
      'AxiosError',
      'Request failed',
    ],
    [`{ get message() { throw 1 } }`, 'Error', 'A value that cannot be printed was thrown.'],
    [
      `{ get message() { throw 1 }, toJSON() { throw 2 } }`,
      'Error',
      'A value that cannot be printed was thrown.',
    ],
    [
      `new Proxy(() => {}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })`,
      'Error',
      'A value that cannot be printed was thrown.',
    ],
    [`Object.assign(new Error('m'), { name: { toString() { throw 1 } } })`, 'Error', 'm'],
    [`Object.create(null)`, 'Error', '{}'],
  ] as const
  for (const [value, name, message] of thrown) {
    it(`describes a thrown ${value}`, async () => {
      assert.deepEqual((await run(`throw ${value}`)).json, { name, message, kind: 'threw' })
    })
  }

  it('truncates names and messages', async () => {
    const { json } = await run(
      `throw Object.assign(new Error('m'.repeat(1e6)), { name: 'n'.repeat(1e6) })`,
    )
    assert.deepEqual([json.message.length, json.name.length], [2000, 100])
  })

  it('ends the call for an error in a timer, a tick, a microtask or an unhandled error event', async () => {
    for (const source of [
      `setTimeout(() => { throw new Error('late') }, 1)`,
      `process.nextTick(() => { throw new Error('late') })`,
      `queueMicrotask(() => { throw new Error('late') })`,
      `setImmediate(() => { throw new Error('late') })`,
      `await 1; process.nextTick(() => { throw new Error('late') })`,
      `const r = require('http').get('http://a.b/'); r.on('newListener', () => {}); r.destroy(new Error('late'))`,
    ]) {
      const { json } = await run(`${source}; await new Promise(() => {})`)
      assert.deepEqual(json, { name: 'Error', message: 'late', kind: 'threw' }, source)
    }
  })

  it('ignores unhandled rejections', async () => {
    assert.equal((await run(`Promise.reject(new Error('lost')); await null; return 1`)).text, '1')
  })

  it('posts exit for process.exit and process.abort', async () => {
    const exited = await run(`process.exit(3)`)
    assert.deepEqual([exited.kind, exited.id], ['exit', 3])
    assert.equal((await run(`process.abort()`)).id, 134)
  })

  it('counts console lines and drops their text, without reading the values', async () => {
    const { posts, text } = await run(`
      const trap = new Proxy({}, { get() { throw new Error('looked') } })
      console.log('%s', params.secret, trap); console.error(trap); process.stdout.write(params.secret)
      console.assert(false, trap); console.table([trap]); console.time('x'); console.group(trap)
      return 1`)
    assert.equal(text, '1')
    const logs = posts.filter(({ kind }) => kind === 'log')
    assert.equal(logs.length, 5)
    assert.ok(logs.every((log) => log.text === undefined && log.bytes === undefined))
  })
})

describe('randomness in the guest', () => {
  it('asks the host for a seed when Math.random is first used, and not before', async () => {
    const guest = await createGuest()
    guest.load(`const { random } = Math
      module.exports = (command) => command === 'RUN' && [random(), Math.random()]`)
    const asked = () => guest.posts.filter(({ kind }) => kind === 'random').length
    await guest.run('SPEC')
    assert.equal(asked(), 0)
    await guest.run('RUN')
    assert.equal(asked(), 1)
  })

  it('requests new bytes of crypto from the host each time', async () => {
    const { posts, json } = await run(
      `const c = require('crypto'); return [c.randomUUID(), c.randomUUID(), c.randomBytes(40).toString('hex')]`,
    )
    assert.notEqual(json[0], json[1])
    const asked = posts.filter(({ kind }) => kind === 'random').map(({ text }) => text)
    assert.deepEqual(asked.slice(-3), ['16', '16', '40'])
  })

  it('spreads Math.random over [0, 1)', async () => {
    const [low, high, mean] = (await runBundle(
      `module.exports = () => { const a = Array.from({ length: 2000 }, Math.random); return [Math.min(...a), Math.max(...a), a.reduce((x, y) => x + y) / 2000] }`,
    )) as number[]
    assert.ok(low !== undefined && low >= 0 && low < 0.01)
    assert.ok(high !== undefined && high < 1 && high > 0.99)
    assert.ok(mean !== undefined && Math.abs(mean - 0.5) < 0.05)
  })
})

describe('requests of the guest', () => {
  it('pass method, URL, header names and bytes unchanged to the host', async () => {
    const { posts } = await run(`
      const r = require('https').request({ host: 'api.a.b', port: 8443, path: '/p?q=1', method: 'patch', headers: { 'X-Odd-CASE': 'v', List: ['a', 'b'], Number: 5, __proto__: null } })
      r.on('error', () => {}); r.end(Buffer.from([0, 255, 1])); await new Promise((ok) => r.on('close', ok))`)
    const sent = posts.find(({ kind }) => kind === 'request')
    assert.deepEqual(JSON.parse(sent?.text ?? ''), {
      method: 'PATCH',
      url: 'https://api.a.b:8443/p?q=1',
      headers: { 'X-Odd-CASE': 'v', List: ['a', 'b'], Number: '5' },
      decompress: false,
    })
    assert.deepEqual([...(sent?.bytes ?? [])], [0, 255, 1])
  })

  it('post abort once when they are cancelled', async () => {
    const neverRespond: Responder = () => new Promise(() => {})
    const { posts } = await run(
      `const r = require('http').get('http://a.b/'); r.on('error', () => {}); setTimeout(() => { r.destroy(); r.destroy(); r.abort() }, 5)
       const c = new AbortController(); const f = fetch('http://c.d', { signal: c.signal }).catch(() => {}); setTimeout(() => c.abort(), 5); await f
       await new Promise((ok) => setTimeout(ok, 10))`,
      neverRespond,
    )
    assert.deepEqual(
      posts
        .filter(({ kind }) => kind === 'abort')
        .map(({ id }) => id)
        .sort(),
      [1, 2],
    )
  })

  it('fail with the same codes in http and fetch', async () => {
    const failing: Responder = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND a.b'), { code: 'ENOTFOUND' })
    }
    const { json } = await run(
      `const e = await new Promise((ok) => require('http').get('http://a.b/').on('error', ok))
       const f = await fetch('http://a.b/').catch((x) => x); return [e.code, e.message, f.message, f.cause.code]`,
      failing,
    )
    assert.deepEqual(json, ['ENOTFOUND', 'getaddrinfo ENOTFOUND a.b', 'fetch failed', 'ENOTFOUND'])
  })

  it('accept Brotli, which the host decodes, and not Zstandard', async () => {
    const { json } = await run(
      `const z = require('zlib'); return [typeof z.createBrotliDecompress, typeof z.brotliDecompressSync, typeof z.createZstdDecompress]`,
    )
    assert.deepEqual(json, ['function', 'function', 'undefined'])
  })
})
