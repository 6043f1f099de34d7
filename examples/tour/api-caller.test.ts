import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createApiCaller } from './api-caller.ts'

describe('createApiCaller', () => {
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    if (requests === 1) response.writeHead(503, { 'Retry-After': '1' }).end('{}')
    else response.writeHead(201).end('{"ok":true}')
  })
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  after(() => server.close())

  it('sends a request again after 503 with Retry-After, as it comes from a node that is still starting', async () => {
    const { port } = server.address() as AddressInfo
    const lines: string[] = []
    const callApi = createApiCaller({
      url: `http://127.0.0.1:${port}`,
      token: 'token',
      print: (line) => lines.push(line),
      signal: AbortSignal.timeout(30_000),
    })
    const body = await callApi({ title: 'Create', method: 'POST', path: '/x', expect: 201 })
    assert.deepEqual(body, { ok: true })
    assert.equal(requests, 2)
    assert.equal(lines.filter((line) => line.includes('201')).length, 1)
  })
})
