import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import {
  type Cleanup,
  createBundlePolicy,
  expectEgressError,
  openEgressGateway,
  serve,
} from '../../test/egress/egress-test-support.ts'
import { parseAllowList } from './address.ts'
import type { EgressRequest } from './egress.ts'

interface Hop {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server that redirects `/go` as configured and records the requests it receives. */
async function redirecting(
  test: Cleanup,
  respond: (response: ServerResponse, hop: Hop) => void,
): Promise<{ port: number; hops: Hop[] }> {
  const hops: Hop[] = []
  const port = await serve(test, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url, headers } = request
    const hop = { method, url, headers, body: Buffer.concat(chunks).toString() }
    hops.push(hop)
    if (url?.startsWith('/go')) respond(response, hop)
    else response.end('arrived')
  })
  return { port, hops }
}

const SECRETS = {
  Authorization: 'Bearer secret',
  Cookie: 'session=secret',
  'Proxy-Authorization': 'Basic secret',
  'X-Api-Key': 'secret',
  'PRIVATE-TOKEN': 'secret',
  Accept: 'application/json',
}

describe('redirects', () => {
  it('are returned when none may be followed', async (test) => {
    const { port, hops } = await redirecting(test, (response) => {
      response.writeHead(302, { Location: '/there' }).end('moved')
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/go` }
    const response = await openEgressGateway(test).request(request, createBundlePolicy())
    assert.deepEqual([response.status, Buffer.from(response.body).toString()], [302, 'moved'])
    assert.equal(response.url, request.url)
    assert.equal(hops.length, 1)
  })

  it('are followed to their end; the response contains the final URL', async (test) => {
    const { port, hops } = await redirecting(test, (response, { url }) => {
      const left = Number(url?.slice(3)) - 1
      response.writeHead(301, { Location: left > 0 ? `go${left}` : '/there?x#y' }).end()
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/go3` }
    const response = await openEgressGateway(test).request(
      request,
      createBundlePolicy({ maxRedirects: 3 }),
    )
    assert.equal(Buffer.from(response.body).toString(), 'arrived')
    assert.equal(response.url, `http://127.0.0.1:${port}/there?x`)
    assert.deepEqual(
      hops.map(({ url }) => url),
      ['/go3', '/go2', '/go1', '/there?x'],
    )
  })

  it('fail the request after the allowed number', async (test) => {
    const { port, hops } = await redirecting(test, (response) => {
      response.writeHead(302, { Location: '/go' }).end()
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/go` }
    const error = await expectEgressError(
      openEgressGateway(test).request(request, createBundlePolicy({ maxRedirects: 3 })),
    )
    assert.equal(error.code, 'too_many_redirects')
    assert.equal(hops.length, 4)
  })

  const METHODS: readonly [status: number, method: string, then: string, body: string][] = [
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [301, 'PUT', 'PUT', 'payload'],
    [307, 'POST', 'POST', 'payload'],
    [308, 'PATCH', 'PATCH', 'payload'],
  ]
  for (const [status, method, then, body] of METHODS) {
    it(`turn ${method} into ${then} after ${status}`, async (test) => {
      const { port, hops } = await redirecting(test, (response) => {
        response.writeHead(status, { Location: '/there' }).end()
      })
      const sent = method === 'HEAD' ? undefined : Buffer.from('payload')
      const request: EgressRequest = {
        method,
        url: `http://127.0.0.1:${port}/go`,
        headers: { 'Content-Type': 'text/x-test' },
        body: sent,
      }
      await openEgressGateway(test).request(request, createBundlePolicy({ maxRedirects: 1 }))
      assert.deepEqual([hops[1]?.method, hops[1]?.body], [then, body])
      const keepsType = body !== '' || method === 'HEAD'
      assert.equal(hops[1]?.headers['content-type'], keepsType ? 'text/x-test' : undefined)
    })
  }

  it('keep credentials on the same origin and drop them on another', async (test) => {
    const other = await redirecting(test, () => {})
    const { port, hops } = await redirecting(test, (response, { url }) => {
      const away = `http://127.0.0.1:${other.port}/there`
      response.writeHead(307, { Location: url === '/go' ? '/go/on' : away }).end()
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/go`, headers: SECRETS }
    await openEgressGateway(test).request(request, createBundlePolicy({ maxRedirects: 2 }))
    assert.equal(hops[1]?.headers.authorization, 'Bearer secret')
    assert.equal(hops[1]?.headers['x-api-key'], 'secret')
    const last = other.hops[0]?.headers
    assert.equal(last?.accept, 'application/json')
    assert.equal(JSON.stringify(last).includes('secret'), false)
  })

  it('do not restore credentials when they return to the first origin', async (test) => {
    const returningServer = await redirecting(test, () => {})
    const away = await redirecting(test, (response) => {
      response.writeHead(302, { Location: `http://127.0.0.1:${returningServer.port}/there` }).end()
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${away.port}/go`, headers: SECRETS }
    await openEgressGateway(test).request(request, createBundlePolicy({ maxRedirects: 2 }))
    assert.equal(JSON.stringify(returningServer.hops).includes('secret'), false)
  })

  it('are validated again: an address that is not listed, or for another purpose, is rejected', async (test) => {
    const { port } = await redirecting(test, (response, { url }) => {
      response.writeHead(302, { Location: decodeURIComponent(url?.slice(4) ?? '') }).end()
    })
    const egressGateway = openEgressGateway(test, {
      allow: parseAllowList(`127.0.0.1:${port},oauth=127.0.0.2`),
    })
    const forbiddenUrls = ['http://127.0.0.2/', 'http://10.0.0.1/', `http://127.0.0.1:${port + 1}/`]
    for (const forbiddenUrl of [
      ...forbiddenUrls,
      'http://[::1]/',
      'file:///etc/passwd',
      'https://a:99999/',
    ]) {
      const url = `http://127.0.0.1:${port}/go/${encodeURIComponent(forbiddenUrl)}`
      const error = await expectEgressError(
        egressGateway.request({ method: 'GET', url }, createBundlePolicy({ maxRedirects: 3 })),
      )
      assert.equal(error.code, 'refused', forbiddenUrl)
    }
  })

  it('stay within the listed hosts', async (test) => {
    const { port, hops } = await redirecting(test, (response) => {
      response.writeHead(302, { Location: `http://localhost:${port}/there` }).end()
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/go` }
    const requestPolicy = createBundlePolicy({ maxRedirects: 3, hosts: ['127.0.0.1'] })
    assert.equal(
      (await expectEgressError(openEgressGateway(test).request(request, requestPolicy))).code,
      'refused',
    )
    assert.equal(hops.length, 1)
  })

  it('require a Location', async (test) => {
    const { port } = await redirecting(test, (response) => {
      response.writeHead(302).end('nowhere')
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${port}/go` }
    const response = await openEgressGateway(test).request(
      request,
      createBundlePolicy({ maxRedirects: 3 }),
    )
    assert.deepEqual([response.status, Buffer.from(response.body).toString()], [302, 'nowhere'])
  })
})
