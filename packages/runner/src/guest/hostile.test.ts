import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuest, type Responder } from '../../test/guest/guest-harness.ts'

const responder: Responder = async () => ({
  status: 200,
  statusText: 'OK',
  rawHeaders: ['X-A', 'b'],
  body: new TextEncoder().encode('{"ok":true}'),
})

// Each attack runs while the bundle loads. The call must still return the right result, and `seen` must contain no
// bindings.
const attacks = {
  'patches JSON': `JSON.stringify = () => '"evil"'; JSON.parse = () => ({ evil: 1 })`,
  'patches Promise.prototype.then': `Promise.prototype.then = function () { seen.push(...arguments); return this }`,
  'patches Promise': `globalThis.Promise = class { constructor() { throw new Error('mine') } }`,
  'patches Promise.prototype.constructor': `Object.defineProperty(Promise.prototype, 'constructor', { get() { return class { constructor(f) { f((v) => v, (v) => v) } } } })`,
  'patches Function.prototype': `for (const k of ['call', 'apply', 'bind']) Function.prototype[k] = function (...a) { seen.push(this, ...a) }`,
  'patches Reflect': `Reflect.apply = Reflect.construct = Reflect.defineProperty = () => { throw new Error('mine') }`,
  'patches Array.prototype': `for (const k of ['push', 'shift', 'map', 'filter', 'slice', 'join', 'forEach']) Array.prototype[k] = function (...a) { seen.push2?.(...a); return [] }; delete Array.prototype[Symbol.iterator]`,
  'adds toJSON to Object.prototype': `Object.defineProperty(Array.prototype, 'toJSON', { value: () => 'evil' }); Object.defineProperty(String.prototype, 'toJSON', { value: () => 'evil' })`,
  'adds setters to Object.prototype': `for (const k of ['callback', 'args', 'next', 'onResponse', 'onFailure', 'kind', 'message', 'name2', '0', '1', '2']) Object.defineProperty(Object.prototype, k, { set(v) { seen.push(v) }, get() {}, configurable: true })`,
  'patches String and Map': `String.prototype.slice = String.prototype.replace = () => 'evil'; Map.prototype.get = Map.prototype.set = () => { throw 1 }; globalThis.String = () => 'evil'`,
  'patches timers and the loop': `globalThis.setTimeout = globalThis.queueMicrotask = process.nextTick = () => { throw 1 }`,
  'deletes globals': `for (const k of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[k] } catch {} }`,
  'freezes everything': `for (const k of Object.getOwnPropertyNames(globalThis)) { try { Object.freeze(globalThis[k]); Object.freeze(globalThis[k].prototype) } catch {} }`,
}

describe('a bundle that patches the language', () => {
  for (const [title, attack] of Object.entries(attacks)) {
    it(`still responds, and gets no binding, when it ${title}`, async () => {
      const guest = await createGuest(responder)
      guest.load(
        `const seen = []; module.exports = async (command, params) => { await null; return { a: params.a + 1, bindings: typeof __bindings, posts: seen.filter((x) => typeof x === 'function' && x.name === 'post').length } }; ${attack}`,
      )
      const { kind, text } = await guest.run('RUN', { a: 1 })
      assert.deepEqual(
        [kind, JSON.parse(text ?? '')],
        ['done', { a: 2, bindings: 'undefined', posts: 0 }],
      )
      guest.dispose()
    })
  }

  it('sends requests unchanged and gets responses when toJSON is patched everywhere', async () => {
    const guest = await createGuest(responder)
    guest.load(`const http = require('http')
      for (const p of [Object.prototype, Array.prototype, String.prototype]) Object.defineProperty(p, 'toJSON', { value: () => 'evil', configurable: true })
      module.exports = async () => { const r = await new Promise((ok) => http.get({ host: 'a.b', headers: { L: ['x'] } }, ok)); return r.statusCode }`)
    const end = await guest.run()
    const sent = guest.posts.find(({ kind }) => kind === 'request')
    assert.deepEqual(JSON.parse(sent?.text ?? ''), {
      method: 'GET',
      url: 'http://a.b/',
      headers: { L: ['x'] },
      decompress: false,
    })
    assert.deepEqual([end.kind, end.text], ['done', '200'])
  })

  it('reports errors of a bundle that patched String, Error and JSON', async () => {
    const guest = await createGuest()
    guest.load(
      `module.exports = () => { throw e }; const e = new TypeError('real'); globalThis.String = globalThis.Error = () => { throw 1 }; JSON.stringify = () => '{}'; Object.prototype.toJSON = () => 'evil'`,
    )
    assert.deepEqual(JSON.parse((await guest.run()).text ?? ''), {
      name: 'TypeError',
      message: 'real',
      kind: 'threw',
    })
  })

  it('reaches nothing but the fake process through constructors', async () => {
    const guest = await createGuest()
    guest.load(
      `module.exports = () => { const found = []; for (const x of [require, module, setTimeout, process, Buffer, require('http').get, new Error()]) { const g = x.constructor.constructor('return this')(); found.push(g === globalThis, g.process.pid, Object.keys(g.process.env).length, typeof g.WebAssembly, typeof g.std, typeof g.os) } return [...new Set(found)] }`,
    )
    assert.equal((await guest.run()).text, '[true,1,0,"undefined"]')
  })
})
