import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { ApiError } from '../../platform/errors.ts'
import { readBody } from './send-to-provider.ts'

it('readBody waits between chunks as long as `pace` says', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clientRequest = request({ port, host: '127.0.0.1', method: 'POST', agent: false })
  clientRequest.on('error', () => {})
  t.after(() => clientRequest.destroy())
  clientRequest.end(Buffer.alloc(3_000_000))
  const [raw] = await once(server, 'request')
  const pause = Promise.withResolvers<void>()
  let charged = 0
  const reading = readBody(raw, 10_000_000, (bytes) => {
    charged += bytes
    return charged > 500_000 ? pause.promise : undefined
  })
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.ok(charged > 500_000 && charged < 700_000, `${charged} bytes`)
  pause.resolve()
  const { body } = await reading
  assert.ok(body !== undefined && !(body instanceof Uint8Array))
  assert.equal(Buffer.concat(await body.toArray()).length, 3_000_000)
  assert.equal(charged, 3_000_000)
})

for (const size of [10_000, 2_000_000])
  it(`readBody rejects if the caller disconnects after ${size} bytes`, async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const headers = { 'content-length': '9000000' }
    const clientRequest = request({ port, host: '127.0.0.1', method: 'POST', headers })
    clientRequest.on('error', () => {})
    clientRequest.write(Buffer.alloc(size))
    const [raw] = await once(server, 'request')
    const reading = readBody(raw, 10_000_000, () => undefined).then(async ({ body }) => {
      assert.ok(body !== undefined && !(body instanceof Uint8Array))
      return body.toArray()
    })
    setTimeout(() => clientRequest.destroy(), 100)
    await assert.rejects(reading, (error) => {
      assert.ok(error instanceof ApiError)
      return error.code === 'malformed_request'
    })
  })
