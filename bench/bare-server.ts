import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// The upper limit of Node itself: fixed bytes, no routing, no tokens, no database. `/3` returns the third response.
process.once('message', (responses: { status: number; body: string }[]) => {
  const preparedResponses = responses.map(({ status, body }) => ({
    status,
    bytes: Buffer.from(body),
  }))
  const server = createServer((request, response) => {
    const { status, bytes } = preparedResponses[Number(request.url?.slice(1))] ?? {
      status: 404,
      bytes: EMPTY_BODY,
    }
    const respond = () =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
        .end(bytes)
    if (request.method === 'GET') respond()
    else request.resume().once('end', respond)
  })
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
})

const EMPTY_BODY = Buffer.alloc(0)
