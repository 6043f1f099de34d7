import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { parseAllowList } from './allow-list.ts'
import { dial } from './dial.ts'
import { ownAddresses } from './own-addresses.ts'
import { type Cleanup, failure, openGate, policy, serveTcp } from './testing.ts'

/**
 * A port of 127.0.0.2 on which connecting hangs: somebody listens there but never accepts, and the queue is full.
 * `port` is one on which 127.0.0.1 answers.
 */
async function silence(test: Cleanup, port: number): Promise<void> {
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

describe('dialling', () => {
  it('tries the next address after 250 ms of silence', async (test) => {
    const port = await serveTcp(test, () => {})
    await silence(test, port)
    const begun = performance.now()
    const socket = await dial(['127.0.0.2', '127.0.0.1'], port, AbortSignal.timeout(2_000))
    const took = performance.now() - begun
    assert.equal(socket.remoteAddress, '127.0.0.1')
    assert.ok(took > 200 && took < 1_900, `${took} ms`)
    socket.destroy()
  })

  it('gives up after 3 s without TCP, TLS or proxy, before the deadline', async (test) => {
    const port = await serveTcp(test, () => {})
    await silence(test, port)
    const wanted = policy({ timeoutMs: 8_000 })
    const gate = openGate(test)
    const proxied = openGate(test, { proxy: new URL(`http://127.0.0.1:${port}`) })
    const begun = performance.now()
    const errors = await Promise.all([
      failure(gate.request({ method: 'GET', url: `http://127.0.0.2:${port}/` }, wanted)),
      failure(gate.request({ method: 'GET', url: `https://127.0.0.1:${port}/` }, wanted)),
      failure(proxied.request({ method: 'GET', url: 'http://127.0.0.1:1/' }, wanted)),
    ])
    for (const { code, systemCode } of errors) {
      assert.deepEqual([code, systemCode], ['unreachable', 'ETIMEDOUT'])
    }
    const took = performance.now() - begun
    assert.ok(took > 2_900 && took < 7_500, `${took} ms`)
  })

  it('refuses a connection that reached another address than the judged one', async (test) => {
    let bytes = 0
    const port = await serveTcp(test, (socket) => {
      socket.on('data', (chunk) => {
        bytes += chunk.length
      })
    })
    // The system takes 0.0.0.0 for loopback.
    const gate = openGate(test, { allow: parseAllowList('0.0.0.0') })
    const asked = { method: 'GET', url: `http://0.0.0.0:${port}/` }
    const error = await failure(gate.request(asked, policy()))
    assert.deepEqual([error.code, bytes], ['refused', 0])
    assert.match(error.detail, /dialled 0\.0\.0\.0 but reached 127\.0\.0\.1/)
  })
})

describe('ownAddresses', () => {
  it("names every address of this machine's interfaces", () => {
    const own = ownAddresses(() => 0)()
    assert.ok(own.has('127.0.0.1'))
    for (const { address, family } of Object.values(networkInterfaces()).flatMap(
      (all) => all ?? [],
    )) {
      if (family === 'IPv4') assert.ok(own.has(address), address)
    }
  })
})
