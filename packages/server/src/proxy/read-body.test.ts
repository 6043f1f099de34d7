import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { ApiError } from '../errors.ts'
import { readBody } from './read-body.ts'

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
    const reading = readBody(raw, 10_000_000).then(async ({ body }) => {
      assert.ok(body !== undefined && !(body instanceof Uint8Array))
      return body.toArray()
    })
    setTimeout(() => clientRequest.destroy(), 100)
    await assert.rejects(reading, (error) => {
      assert.ok(error instanceof ApiError)
      return error.code === 'malformed_request'
    })
  })
