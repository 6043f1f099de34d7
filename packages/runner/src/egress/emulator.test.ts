import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { EgressGateway, EgressPolicy, Purpose } from './egress.ts'
import { createEgressGateway } from './egress-gateway.ts'

const policy = (purpose: Purpose, more: Partial<EgressPolicy> = {}): EgressPolicy => ({
  purpose,
  maxResponseBytes: 1e6,
  timeoutMs: 1_500,
  maxRedirects: 2,
  decompress: false,
  ...more,
})

describe('The egress gateway with an emulator', () => {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/moved')) response.writeHead(302, { location: '/elsewhere' }).end()
    else response.end(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
  })
  let gateway: EgressGateway
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    gateway = createEgressGateway({
      allow: [],
      emulator: new URL(`http://127.0.0.1:${port}`),
      // No name is looked up.
      resolve: () => assert.fail('resolved'),
    })
  })
  after(async () => {
    await gateway.close()
    server.closeAllConnections()
    server.close()
  })
  const send = async (url: string, purpose: Purpose, more: Partial<EgressPolicy> = {}) => {
    const response = await gateway.request({ method: 'GET', url }, policy(purpose, more))
    return { text: Buffer.from(response.body).toString(), url: response.url }
  }

  it('sends requests of bundles and of OAuth there, with the host in the path', async () => {
    for (const purpose of ['bundle', 'oauth'] as const)
      assert.deepEqual(await send('https://API.acme.example/me?a=%20b', purpose), {
        text: 'GET /_hosts/api.acme.example/me?a=%20b ',
        url: 'https://api.acme.example/me?a=%20b',
      })
    const { text } = await send('https://user:pass@acme.example/', 'bundle')
    assert.equal(text, `GET /_hosts/acme.example/ Basic ${btoa('user:pass')}`)
  })

  it('follows redirects as the provider would have sent them', async () => {
    assert.deepEqual(await send('https://acme.example/moved', 'bundle'), {
      text: 'GET /_hosts/acme.example/elsewhere ',
      url: 'https://acme.example/elsewhere',
    })
  })

  it('still sends nothing to a host that is not on the list', async () => {
    const refused = send('https://evil.example/', 'bundle', { hosts: ['acme.example'] })
    await assert.rejects(refused, { code: 'refused' })
  })

  it('dials addresses, names of this machine, other ports and other purposes as always', async () => {
    for (const url of [
      'https://127.0.0.1/',
      'https://10.0.0.1/',
      'https://localhost/',
      'http://127.0.0.1/',
    ])
      await assert.rejects(send(url, 'bundle'), { code: 'refused' }, url)
    for (const [url, purpose] of [
      ['https://acme.example/', 'webhook'],
      ['https://acme.example/', 'source'],
      ['https://acme.example:8443/', 'bundle'],
    ] as const)
      await assert.rejects(send(url, purpose), { name: 'EgressError' }, url)
  })
})
