import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { parseAllowList } from './address.ts'
import type { EgressStreamPolicy } from './egress.ts'
import { createEgressGateway } from './egress-gateway.ts'

const POLICY: EgressStreamPolicy = {
  purpose: 'bundle',
  tenant: { workspaceId: 'wsp_a' },
  timeoutMs: 5_000,
  idleMs: 5_000,
  maxResponseBytes: 1_000,
}

describe('createEgressGateway: log', () => {
  it('is called in the async context of the caller, also for a body that breaks after its head', async (t) => {
    const server = createServer((request, response) => {
      if (request.url === '/whole') return void response.end('whole')
      response.writeHead(200, { 'content-length': '100' }).write('part')
      setTimeout(() => request.socket.destroy(), 50)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const callers = new AsyncLocalStorage<string>()
    const logged: unknown[] = []
    const gateway = createEgressGateway({
      allow: parseAllowList('127.0.0.0/8'),
      log: () => logged.push(callers.getStore()),
    })
    t.after(async () => {
      await gateway.close()
      server.closeAllConnections()
      server.close()
    })
    const read = async (path: string) => {
      const { body } = await gateway.stream({ method: 'GET', url: `${url}${path}` }, POLICY)
      return text(body)
    }
    assert.equal(await callers.run('first', read, '/whole'), 'whole')
    await assert.rejects(callers.run('second', read, '/broken'))
    await assert.rejects(
      callers.run('third', () =>
        gateway.request(
          { method: 'GET', url: 'http://127.0.0.1:1/' },
          { ...POLICY, maxRedirects: 0, decompress: false },
        ),
      ),
    )
    assert.deepEqual(logged, ['second', 'third'])
  })
})
