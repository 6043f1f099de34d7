import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createGuest, type Guest } from '../../test/guest/guest-harness.ts'
import { type Loopback, respondFromNetwork, startLoopback } from '../../test/guest/loopback.ts'

const read = `const read = (r) => new Promise((ok, no) => { let t = ''; r.setEncoding('utf8'); r.on('data', (d) => (t += d)).on('end', () => ok(t)).on('error', no) })`
const answered = `const answered = (q) => new Promise((ok, no) => q.on('response', ok).on('error', no))`

// Bodies of async functions of `url`; both sides must return the same and the server must receive the same.
const snippets = [
  `const r = await answered(http.get(url + '/echo?a=b%20c', { headers: { 'X-Case': 'v', 'X-List': ['1', '2'] } })); return [r.statusCode, r.statusMessage, r.headers['x-two'], r.headers['set-cookie'], JSON.parse(await read(r)).url, r.complete, r.httpVersion]`,
  `const u = new URL(url); const r = await answered(http.request({ hostname: u.hostname, port: u.port, path: '/p', method: 'put', auth: 'u:p' }).end('body')); return JSON.parse(await read(r))`,
  `const q = http.request(url + '/w', { method: 'POST' }); q.setHeader('Content-Type', 'text/x'); q.write('a'); q.write(Buffer.from('b')); q.end('c'); return JSON.parse(await read(await answered(q))).body`,
  `return new Promise((ok) => http.get(new URL(url + '/cb'), { headers: { A: 'b' } }, (r) => { r.resume(); r.on('end', () => ok([r.statusCode, r.rawHeaders.includes('X-Two')])) }))`,
  `const order = []; const q = http.get(url + '/events'); for (const e of ['socket', 'finish', 'response', 'close']) q.on(e, () => order.push(e)); const r = await answered(q); r.on('end', () => order.push('end')); await read(r); await new Promise((ok) => setTimeout(ok, 20)); return order.filter((e) => e !== 'finish' && e !== 'socket')`,
  `const q = http.get(url + '/slow'); q.setTimeout(20, () => q.destroy(new Error('mine'))); try { await answered(q) } catch (e) { return e.message }`,
  `const q = http.get(url + '/slow'); setTimeout(() => q.destroy(), 10); try { await answered(q) } catch (e) { return [e.message, e.code] }`,
  `const q = http.get(url + '/slow'); setTimeout(() => q.abort(), 10); let aborted = false; q.on('abort', () => (aborted = true)); try { await answered(q) } catch (e) { await new Promise((ok) => setTimeout(ok, 5)); return [e.message, e.code, aborted, q.aborted, q.destroyed] }`,
  `const c = new AbortController(); const q = http.get(url + '/slow', { signal: c.signal }); setTimeout(() => c.abort(), 10); try { await answered(q) } catch (e) { return [e.name, e.code] }`,
  `try { await answered(http.get('http://127.0.0.1:1/')) } catch (e) { return e.code }`,
  `const bad = []; for (const f of [() => http.get('nope'), () => http.get('https://a.b'), () => http.request({ path: '/a b' }), () => http.request({ headers: { 'a b': 'x' } }), () => http.request({ headers: { a: 'x\\ny' } }), () => http.request({ headers: { a: undefined } })]) { try { f() } catch (e) { bad.push(e.code) } } return bad`,
  `const q = http.request(url + '/h', { headers: { 'X-A': '1' } }); q.setHeader('x-b', 2); q.removeHeader('X-A'); const r = [q.getHeader('X-B'), q.hasHeader('x-a'), q.getHeaderNames(), q.getRawHeaderNames(), { ...q.getHeaders() }['x-b'], q.method, q.path, q.protocol]; r[2] = r[2].filter((n) => n !== 'host' && n !== 'connection'); r[3] = r[3].filter((n) => n !== 'Host' && n !== 'Connection'); q.end(); await read(await answered(q)); return r`,
  `const r = await answered(http.get(url + '/gzip')); const z = r.pipe(require('zlib').createUnzip()); return read(z)`,
  `const r = await answered(http.get(url + '/redirect')); r.resume(); return [r.statusCode, r.headers.location]`,
  `const { pipeline } = require('stream/promises'); const { Readable } = require('stream'); const q = http.request(url + '/piped', { method: 'POST' }); const a = answered(q); await pipeline(Readable.from(['x', 'y']), q); return JSON.parse(await read(await a)).body`,
  `const r = await answered(http.get(url + '/echo')); const chunks = []; for await (const c of r) chunks.push(c); return Buffer.isBuffer(chunks[0])`,
  `const q = http.request(url + '/head', { method: 'HEAD' }); q.end(); const r = await answered(q); return [await read(r), r.headers['x-two']]`,
  `const r = await fetch(url + '/echo?q=1', { method: 'post', body: JSON.stringify({ a: 1 }), headers: { 'Content-Type': 'application/json', 'X-Y': 'z' } }); return [r.status, r.ok, r.url === url + '/echo?q=1', r.redirected, (await r.json()).body, r.headers.getSetCookie(), r.headers.get('x-two')]`,
  `const r = await fetch(new Request(url + '/echo', { headers: { Authorization: 'Bearer x' } })); return [await r.clone().json(), r.bodyUsed, (await r.text()).length > 0, r.bodyUsed]`,
  `return (await fetch(url + '/gzip')).text()`,
  `const r = await fetch(url + '/redirect'); return [r.redirected, r.url.replace(url, ''), r.status, (await r.json()).method]`,
  `const r = await fetch(url + '/redirect', { method: 'POST', body: 'x', headers: { 'Content-Type': 'a/b', Authorization: 'q' } }); return (await r.json()).method`,
  `const r = await fetch(url + '/away', { method: 'PUT', body: 'x', headers: { Authorization: 'q', Cookie: 'c=1', 'X-Kept': 'k' } }); return [r.redirected, (await r.json()).method]`,
  `const r = await fetch(url + '/redirect307', { method: 'POST', body: 'kept' }); return (await r.json()).body`,
  `const r = await fetch(url + '/redirect', { redirect: 'manual' }); return [r.status, r.headers.get('location'), r.type]`,
  `try { await fetch(url + '/redirect', { redirect: 'error' }) } catch (e) { return [e.name, e.message] }`,
  `try { await fetch(url + '/loop') } catch (e) { return [e.message, e.cause.message] }`,
  `try { await fetch('http://127.0.0.1:4/') } catch (e) { return [e.name, e.message, e.cause.code] }`,
  `try { await fetch(url + '/slow', { signal: AbortSignal.timeout(20) }) } catch (e) { return e.name }`,
  `const c = new AbortController(); setTimeout(() => c.abort(new RangeError('mine')), 10); try { await fetch(url + '/slow', { signal: c.signal }) } catch (e) { return e.message }`,
  `const r = await fetch(url + '/echo', { method: 'POST', body: new URLSearchParams({ a: 'ä b' }) }); return (await r.json()).body`,
  `const r = await fetch(url + '/echo', { method: 'POST', body: new Uint8Array([104, 105]) }); return (await r.json()).body`,
  `const r = await fetch(url + '/echo', { method: 'PUT', body: ReadableStream.from([new Uint8Array([104]), new Uint8Array([105])]), duplex: 'half' }); return (await r.json()).body`,
  `const f = new FormData(); f.append('a', 'b'); const r = await fetch(url + '/form', { method: 'POST', body: f }); return (await r.json()).body.replace(/-+formdata-undici-\\d+/g, 'B')`,
  `const r = await fetch(url + '/nothing'); return [r.status, r.body, await r.text()]`,
]

const handler: RequestListener = (request, response) => {
  const path = request.url ?? ''
  response.setHeader('X-Two', ['1', '2'])
  response.setHeader('Set-Cookie', ['a=1', 'b=2'])
  if (path === '/slow') return
  if (path === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync('unpacked é'))
  else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end()
  else if (path === '/away') {
    const port = request.headers.host?.split(':')[1]
    response.writeHead(307, { location: `http://localhost:${port}/echo` }).end()
  } else if (path.startsWith('/redirect')) {
    response.writeHead(path === '/redirect307' ? 307 : 302, { location: '/echo' }).end()
  } else if (path === '/nothing') response.writeHead(204).end()
  else
    response.end(JSON.stringify({ method: request.method, url: path, body: bodies.get(request) }))
}
const bodies = new WeakMap<object, string>()

describe('requests', () => {
  let server: Loopback
  let guest: Guest
  before(async () => {
    guest = await createGuest(respondFromNetwork)
    server = await startLoopback(handler, bodies)
  })
  after(() => {
    guest.dispose()
    server.close()
  })

  for (const [at, snippet] of snippets.entries()) {
    it(`${at}: sends requests and receives responses as Node does: ${snippet.slice(0, 100)}`, async () => {
      const bundle = `'use strict'
        const http = require('http'); ${read}; ${answered}
        module.exports = async (command, { url }) => {${snippet}}`
      const nodeResult = await runHere(bundle, server.origin)
      const nodeRequests = server.takeReceivedRequests()
      guest.load(bundle)
      const { kind, text = '' } = await guest.run('RUN', { url: server.origin })
      assert.equal(kind, 'done', text)
      assert.deepEqual(JSON.parse(text), nodeResult)
      assert.deepEqual(
        withoutBoundaries(server.takeReceivedRequests()),
        withoutBoundaries(nodeRequests),
      )
    })
  }
})

async function runHere(bundle: string, url: string): Promise<unknown> {
  const module: { exports: unknown } = { exports: {} }
  const load = new Function('exports', 'require', 'module', bundle)
  load(module.exports, createRequire(import.meta.url), module)
  const main = module.exports as (command: string, params: object) => Promise<unknown>
  return JSON.parse(JSON.stringify((await main('RUN', { url })) ?? null))
}

function withoutBoundaries(receivedRequests: unknown): unknown {
  return JSON.parse(JSON.stringify(receivedRequests).replace(/-+formdata-undici-\d+/g, 'B'))
}
