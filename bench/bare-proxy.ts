import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

// The upper limit of undici itself, without routing, tokens, validation or a database: sends each request to the target, with its
// headers and one of its own, and its response back as it arrives.
process.once('message', ({ target }: { readonly target: string }) => {
  const pool = new Pool(target, { connections: 128 })
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const { host: _host, connection: _connection, ...forwarded } = headers
    const hasBody = method !== 'GET' && method !== 'HEAD'
    pool.dispatch(
      {
        method,
        path: url,
        headers: { ...forwarded, authorization: 'Bearer desk_live_1' },
        body: hasBody ? request : null,
      },
      {
        onRequestStart() {},
        onResponseStart: (controller, status) => {
          const { rawHeaders } = controller
          if (status < 200 || !Array.isArray(rawHeaders)) return
          response.writeHead(status, keepEndToEnd(rawHeaders.map(String)))
        },
        onResponseData: (controller, chunk) => {
          if (response.write(chunk)) return
          controller.pause()
          response.once('drain', () => controller.resume())
        },
        onResponseEnd: () => void response.end(),
        onResponseError: () => void response.destroy(),
      },
    )
  })
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
})

/** Without the headers of the connection to the target (RFC 9110, section 7.6.1). */
function keepEndToEnd(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter(
    (_text, index) => !HOP_BY_HOP.test(rawHeaders[index - (index % 2)] ?? ''),
  )
}

const HOP_BY_HOP = /^(?:connection|keep-alive|transfer-encoding)$/i
