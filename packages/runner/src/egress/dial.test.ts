import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import {
  type Cleanup,
  createBundlePolicy,
  expectEgressError,
  openEgressGateway,
  serveTcp,
} from '../../test/egress/egress-test-support.ts'
import { parseAllowList } from './address.ts'
import { dial } from './connection-pool.ts'
import { listSelfAddresses } from './egress-gateway.ts'

/**
 * A port of 127.0.0.2 on which connecting hangs: the listener never accepts, and its backlog is full. `port` is one
 * that also responds on 127.0.0.1.
 */
async function blockAccepts(test: Cleanup, port: number): Promise<void> {
  const worker = new Worker(
    `const { createServer } = require('node:net')
    const { parentPort } = require('node:worker_threads')
    createServer().listen({ port: ${port}, host: '127.0.0.2', backlog: 1 }, () => {
      parentPort.postMessage('listening')
      setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 10)
    })`,
    { eval: true },
  )
  await new Promise((resolve) => worker.once('message', resolve))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const queued: Socket[] = []
  for (let index = 0; index < 6; index += 1) {
    queued.push(connect(port, '127.0.0.2').on('error', () => {}))
  }
  await new Promise((resolve) => setTimeout(resolve, 50))
  test.after(async () => {
    for (const socket of queued) socket.destroy()
    await worker.terminate()
  })
}

describe('dial', () => {
  it('tries the next address after 250 ms without a connection', async (test) => {
    const port = await serveTcp(test, () => {})
    await blockAccepts(test, port)
    const startedAt = performance.now()
    const socket = await dial(['127.0.0.2', '127.0.0.1'], port, AbortSignal.timeout(30_000))
    const elapsedMs = performance.now() - startedAt
    assert.equal(socket.remoteAddress, '127.0.0.1')
    // `dial` gives up on an address after 3 s.
    assert.ok(elapsedMs > 200 && elapsedMs < 2_900, `${elapsedMs} ms`)
    socket.destroy()
  })

  it('gives up after 3 s without TCP, TLS or proxy response, before the deadline', async (test) => {
    const port = await serveTcp(test, () => {})
    await blockAccepts(test, port)
    const requestPolicy = createBundlePolicy({ timeoutMs: 60_000 })
    const egressGateway = openEgressGateway(test)
    const proxied = openEgressGateway(test, { proxy: new URL(`http://127.0.0.1:${port}`) })
    const startedAt = performance.now()
    const errors = await Promise.all([
      expectEgressError(
        egressGateway.request({ method: 'GET', url: `http://127.0.0.2:${port}/` }, requestPolicy),
      ),
      expectEgressError(
        egressGateway.request({ method: 'GET', url: `https://127.0.0.1:${port}/` }, requestPolicy),
      ),
      expectEgressError(
        proxied.request({ method: 'GET', url: 'http://127.0.0.1:1/' }, requestPolicy),
      ),
    ])
    for (const { code, systemCode } of errors) {
      assert.deepEqual([code, systemCode], ['unreachable', 'ETIMEDOUT'])
    }
    const elapsedMs = performance.now() - startedAt
    assert.ok(elapsedMs > 2_900 && elapsedMs < 30_000, `${elapsedMs} ms`)
  })

  it('rejects a connection that reached an address other than the validated one', async (test) => {
    let bytes = 0
    const port = await serveTcp(test, (socket) => {
      socket.on('data', (chunk) => {
        bytes += chunk.length
      })
    })
    // Operating systems treat 0.0.0.0 as loopback.
    const egressGateway = openEgressGateway(test, { allow: parseAllowList('0.0.0.0') })
    const request = { method: 'GET', url: `http://0.0.0.0:${port}/` }
    const error = await expectEgressError(egressGateway.request(request, createBundlePolicy()))
    assert.deepEqual([error.code, bytes], ['refused', 0])
    assert.match(error.detail, /dialled 0\.0\.0\.0 but reached 127\.0\.0\.1/)
  })
})

describe('selfAddresses', () => {
  it("returns every address of this machine's interfaces", () => {
    const selfAddressSet = listSelfAddresses(() => 0)()
    assert.ok(selfAddressSet.has('127.0.0.1'))
    for (const { address, family } of Object.values(networkInterfaces()).flatMap(
      (all) => all ?? [],
    )) {
      if (family === 'IPv4') assert.ok(selfAddressSet.has(address), address)
    }
  })
})
