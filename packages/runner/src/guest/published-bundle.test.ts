import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { type Plugin, rollup } from 'rollup'
import { createGuest, type Guest } from '../../test/guest/guest-harness.ts'
import { type Loopback, respondFromNetwork, startLoopback } from '../../test/guest/loopback.ts'

// A realistic integration: the kit's class, axios, and other common packages.
const integration = `
import { BaseIntegration } from '@poozle/engine-idk'
import axios from 'axios'

class Integration extends BaseIntegration {
  async spec() {
    return { auth_specification: { 'Api Key': {
      input_specification: { type: 'object', properties: { api_key: { type: 'string' }, url: { type: 'string' } } },
      headers: { Authorization: 'Bearer \${api_key}' } } } }
  }
  async check(config) {
    try {
      const headers = await this.authHeaders(config)
      const { data } = await axios.get(config.url + '/me', { headers, params: { a: ['x y', 'z'], b: 'ü' } })
      return { status: data.ok === true, error: '' }
    } catch (error) {
      return { status: false, error: error.message, code: error.code, got: error.response?.status, data: error.response?.data }
    }
  }
  async run(path, method, config) {
    const url = config.url
    const headers = { 'X-Case': '1' }
    const api = axios.create({ baseURL: url, headers })
    const out = []
    const settle = async (promise) => {
      try { const { status, data, headers } = await promise; out.push([status, data, headers['x-two']]) } catch (e) { out.push([e.name, e.code, e.message.replace(url, ''), e.response?.status]) }
    }
    await settle(api.post('/json', { a: 1, b: ['ü'] }))
    await settle(api.put('/form', new URLSearchParams({ a: '1 2' })))
    await settle(api.postForm('/multi', { a: 'b' }).then((r) => ({ ...r, data: r.data.replace(/-{5,}[\\w-]+/g, 'B') })))
    await settle(api.get('/gzip'))
    await settle(api.get('/redirect'))
    await settle(api.get('/redirect', { maxRedirects: 0 }))
    await settle(api.get('/bytes', { responseType: 'arraybuffer' }).then((r) => ({ ...r, data: r.data.toString('hex') })))
    await settle(api.get('/slow', { timeout: 50 }))
    await settle(api.get('/slow', { signal: AbortSignal.timeout(50) }))
    await settle(api.get('/404'))
    await settle(api.delete('/json', { auth: { username: 'u', password: 'p' }, data: { x: 1 } }))
    await settle(axios.get('http://127.0.0.1:4/'))
    await settle(api.get('/json', { maxContentLength: 3 }))
    await settle(axios.get(url + '/json', { adapter: 'fetch', headers }))
    await settle(axios.post(url + '/json', { a: 1 }, { adapter: 'fetch', headers }))
    return out
  }
}

export default async function main(command, params) {
  return new Integration().runCommand(command, params)
}`

const entry = fileURLToPath(new URL('virtual-integration.js', import.meta.url))
const bodies = new WeakMap<object, string>()

describe('a bundle of rollup, axios and the kit', () => {
  let source: string
  let server: Loopback
  let guest: Guest
  before(async () => {
    source = await bundle()
    server = await startLoopback((request, response) => {
      const path = request.url ?? ''
      response.setHeader('X-Two', ['1', '2'])
      if (path === '/slow') return
      if (path === '/redirect') response.writeHead(302, { location: '/json' }).end()
      else if (path === '/404') response.writeHead(404).end('{"why":"gone"}')
      else if (path === '/bytes') response.end(Buffer.from([0, 255, 128]))
      else if (path === '/gzip')
        response.setHeader('content-encoding', 'gzip').end(gzipSync('{"z":"ü"}'))
      else if (path.startsWith('/me')) {
        const allowed = request.headers.authorization === 'Bearer right'
        response.writeHead(allowed ? 200 : 401).end(JSON.stringify({ ok: allowed }))
      } else response.end(`got ${request.method} ${bodies.get(request)}`)
    }, bodies)
    guest = await createGuest(respondFromNetwork)
    guest.load(source)
  })
  after(() => {
    guest.dispose()
    server.close()
  })

  it('is as large as published ones', () => assert.ok(source.length > 300_000))

  const config = (key: string) => ({ authType: 'Api Key', api_key: key, url: server.origin })
  const commands = {
    SPEC: () => ({}),
    'CHECK with the right key': () => ({ config: config('right') }),
    'CHECK with a wrong key': () => ({ config: config('wrong') }),
    'CHECK with a key that no header can hold': () => ({ config: config('a\nb') }),
    'CHECK without a server': () => ({ config: { ...config('x'), url: 'http://127.0.0.1:4' } }),
    HEADERS: () => ({ config: config('right') }),
    'RUN of everything that axios does': () => ({
      path: '/x',
      method: 'GET',
      config: config('right'),
      params: {},
    }),
    OTHER: () => ({}),
  }
  for (const [title, params] of Object.entries(commands)) {
    it(`answers and asks the network the same as in Node: ${title}`, async () => {
      const [command = ''] = title.split(' ')
      const here = await runHere(source, command, params())
      const seenHere = server.takeReceivedRequests()
      const { kind, text = '' } = await guest.run(command, params())
      assert.equal(kind, 'done', text)
      assert.deepEqual(JSON.parse(text), here)
      assert.deepEqual(plain(server.takeReceivedRequests()), plain(seenHere))
    })
  }
})

async function bundle(): Promise<string> {
  const virtual = {
    name: 'virtual',
    resolveId: (id: string) => (id === 'entry' ? entry : null),
    load: (id: string) => (id === entry ? integration : null),
  }
  const resolve = nodeResolve({ preferBuiltins: true, exportConditions: ['node'] })
  const plugins = [virtual, resolve, callable(commonjs)({ ignoreTryCatch: true }), callable(json)()]
  const built = await rollup({ input: 'entry', plugins, onwarn() {} })
  const { output } = await built.generate({
    format: 'cjs',
    exports: 'named',
    inlineDynamicImports: true,
  })
  return output[0].code
}

// Their types are those of a CommonJS package; the import is the function itself.
function callable(plugin: unknown): (options?: object) => Plugin {
  return plugin as (options?: object) => Plugin
}

async function runHere(source: string, command: string, params: unknown): Promise<unknown> {
  const module: { exports: { default?: unknown } } = { exports: {} }
  const load = new Function('exports', 'require', 'module', source)
  load(module.exports, createRequire(import.meta.url), module)
  const main = module.exports.default as (command: string, params: unknown) => Promise<unknown>
  return JSON.parse(JSON.stringify((await main(command, params)) ?? null))
}

// Multipart boundaries are random.
function plain(seen: unknown): unknown {
  return JSON.parse(
    JSON.stringify(seen)
      .replace(/-{5,}[\w-]+/g, 'B')
      .replace(/boundary=[\w-]+/g, 'B'),
  )
}
