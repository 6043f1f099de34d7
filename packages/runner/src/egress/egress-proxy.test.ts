import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import {
  type Cleanup,
  createBundlePolicy,
  expectEgressError,
  listen,
  openEgressGateway,
  serve,
  serveTcp,
} from '../../test/egress/egress-test-support.ts'
import { parseAllowList } from './address.ts'
import type { EgressGateway } from './egress.ts'
import { createEgressGateway, type EgressGatewayOptions } from './egress-gateway.ts'

interface ProxyRequest {
  readonly authority: string | undefined
  readonly authorization: string | undefined
}

interface RunningProxy {
  readonly port: number
  readonly asked: ProxyRequest[]
}

/** A small real CONNECT proxy. `route` returns where an authority leads, or the status to reject it with. */
async function runProxy(
  test: Cleanup,
  route: (authority: string) => number | { status: number },
): Promise<RunningProxy> {
  const requests: ProxyRequest[] = []
  const server = createServer((_request, response) => void response.writeHead(400).end())
  server.on('connect', (request: IncomingMessage, client) => {
    const { url: authority, headers } = request
    requests.push({ authority, authorization: headers['proxy-authorization'] })
    const upstreamPort = route(authority ?? '')
    if (typeof upstreamPort !== 'number') {
      client.end(`HTTP/1.1 ${upstreamPort.status} No\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    const upstream = connect(upstreamPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    client.on('error', () => upstream.destroy())
    client.on('close', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  })
  return { port: await listen(test, server), asked: requests }
}

function createProxiedGateway(
  test: Cleanup,
  port: number,
  options: Partial<EgressGatewayOptions> = {},
): EgressGateway {
  return openEgressGateway(test, {
    proxy: new URL(`http://us%40er:p:w@127.0.0.1:${port}`),
    ...options,
  })
}

describe('the egress gateway with a proxy', () => {
  it('sends every request as a CONNECT to the validated address, with the proxy credentials', async (test) => {
    const port = await serve(test, (request, response) => {
      response.end(JSON.stringify(request.headers))
    })
    const proxy = await runProxy(test, () => port)
    const egressGateway = createProxiedGateway(test, proxy.port, {
      allow: parseAllowList('10.0.0.0/8'),
      resolve: async () => [{ address: '10.1.2.3', family: 4 }],
    })
    const request = { method: 'GET', url: 'http://in.example:8080/' }
    const response = await egressGateway.request(request, createBundlePolicy())
    const headers = JSON.parse(Buffer.from(response.body).toString())
    assert.equal(headers.host, 'in.example:8080')
    assert.equal('proxy-authorization' in headers, false)
    const authorization = `Basic ${Buffer.from('us@er:p:w').toString('base64')}`
    assert.deepEqual(proxy.asked, [{ authority: '10.1.2.3:8080', authorization }])
  })

  it("resolves the proxy's own name with the gateway's resolver, without blocking a thread", async (test) => {
    const port = await serve(test, (_request, response) => void response.end('here'))
    const proxy = await runProxy(test, () => port)
    const names: string[] = []
    const egressGateway = openEgressGateway(test, {
      proxy: new URL(`http://proxy.test:${proxy.port}`),
      resolve: async (host) => {
        names.push(host)
        return host === 'none.test' ? [] : [{ address: '127.0.0.1', family: 4 }]
      },
    })
    const request = { method: 'GET', url: `http://in.example:${port}/` }
    assert.equal(
      Buffer.from((await egressGateway.request(request, createBundlePolicy())).body).toString(),
      'here',
    )
    assert.deepEqual(names, ['in.example', 'proxy.test'])
    const none = openEgressGateway(test, {
      proxy: new URL('http://none.test:1'),
      resolve: async (host) => (host === 'none.test' ? [] : [{ address: '127.0.0.1', family: 4 }]),
    })
    assert.equal(
      (await expectEgressError(none.request(request, createBundlePolicy()))).code,
      'egress_unavailable',
    )
  })

  it('tries the next validated address when the proxy cannot reach the first', async (test) => {
    const port = await serve(test, (_request, response) => void response.end())
    const proxy = await runProxy(test, (authority) =>
      authority.startsWith('[::1]') ? { status: 502 } : port,
    )
    const addresses = ['::1', '127.0.0.1'].map((address) => ({ address, family: 0 }))
    const egressGateway = createProxiedGateway(test, proxy.port, {
      allow: parseAllowList('127.0.0.1,::1'),
      resolve: async () => addresses,
    })
    const url = `http://two.example:${port}/`
    assert.equal(
      (await egressGateway.request({ method: 'GET', url }, createBundlePolicy())).status,
      200,
    )
    assert.deepEqual(
      proxy.asked.map(({ authority }) => authority),
      [`[::1]:${port}`, `127.0.0.1:${port}`],
    )
  })

  it('never sends forbidden addresses to the proxy', async (test) => {
    const proxy = await runProxy(test, () => ({ status: 502 }))
    const egressGateway = createProxiedGateway(test, proxy.port, {
      allow: [],
      resolve: async () => [{ address: '10.0.0.1', family: 4 }],
    })
    for (const url of ['https://in.example/', 'https://127.0.0.1/', 'http://example.com/']) {
      assert.equal(
        (
          await expectEgressError(
            egressGateway.request({ method: 'GET', url }, createBundlePolicy()),
          )
        ).code,
        'refused',
      )
    }
    assert.deepEqual(proxy.asked, [])
  })

  it('passes names to a resolving proxy, and validates literal addresses itself', async (test) => {
    const target = await serveTcp(test, (socket) => void socket.destroy())
    const proxy = await runProxy(test, () => target)
    const egressGateway = createProxiedGateway(test, proxy.port, {
      allow: [],
      proxyResolves: true,
      resolve: () => Promise.reject(new Error('the resolver must not be called')),
    })
    const named = egressGateway.request(
      { method: 'GET', url: 'https://api.example.com/' },
      createBundlePolicy(),
    )
    assert.equal((await expectEgressError(named)).code, 'unreachable')
    assert.deepEqual(
      proxy.asked.map(({ authority }) => authority),
      ['api.example.com:443'],
    )
    for (const url of ['https://10.0.0.1/', 'http://api.example.com/', 'https://localhost/']) {
      assert.equal(
        (
          await expectEgressError(
            egressGateway.request({ method: 'GET', url }, createBundlePolicy()),
          )
        ).code,
        'refused',
      )
    }
    assert.equal(proxy.asked.length, 1)
  })

  it('reports a failure of the proxy itself as egress_unavailable, with the reason in the log only', async (test) => {
    const rejectingProxy = await runProxy(test, () => ({ status: 407 }))
    const silent = await serveTcp(test, (socket) => void socket.destroy())
    const earlyDataServer = await serveTcp(test, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\ninjected')
    })
    for (const port of [rejectingProxy.port, silent, earlyDataServer, 1]) {
      const lines: string[] = []
      const egressGateway = createProxiedGateway(test, port, {
        log: (detail) => lines.push(detail),
      })
      const request = { method: 'GET', url: 'http://127.0.0.1:8080/' }
      const error = await expectEgressError(egressGateway.request(request, createBundlePolicy()))
      assert.deepEqual([error.code, error.systemCode], ['egress_unavailable', undefined])
      assert.match(lines.join(), /^bundle request egress_unavailable: proxy, 127\.0\.0\.1:8080: /)
    }
  })

  it('a target that the proxy cannot reach (5xx) is unreachable', async (test) => {
    for (const status of [502, 503, 504]) {
      const proxy = await runProxy(test, () => ({ status }))
      const request = { method: 'GET', url: 'http://127.0.0.1:8080/' }
      const error = await expectEgressError(
        createProxiedGateway(test, proxy.port).request(request, createBundlePolicy()),
      )
      assert.equal(error.code, 'unreachable', String(status))
    }
  })

  it('gives up on an unresponsive proxy after the deadline', async (test) => {
    const port = await serveTcp(test, () => {})
    const request = { method: 'GET', url: 'http://127.0.0.1:8080/' }
    const requestPolicy = createBundlePolicy({ timeoutMs: 100 })
    const error = await expectEgressError(
      createProxiedGateway(test, port).request(request, requestPolicy),
    )
    assert.equal(error.code, 'timeout')
  })

  it('accepts http and https proxies only', () => {
    assert.throws(
      () => createEgressGateway({ allow: [], proxy: new URL('socks5://127.0.0.1:1') }),
      TypeError,
    )
  })
})
