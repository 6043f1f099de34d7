import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isolationBundle } from './bundles.ts'

// The provider of one tenant, and the bundles that call it. `/hang` accepts a request and never responds.
const JSON_BODY = JSON.stringify({ id: 'user_1', name: 'Ada' })
const LARGE_BODY = Buffer.alloc(256 * 1024, 'x')

const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://provider')
  if (pathname === '/hang') return
  request.resume()
  if (pathname.startsWith('/bundles/'))
    return send(response, 'text/javascript', createBundle(pathname))
  if (pathname === '/large') return send(response, 'application/octet-stream', LARGE_BODY)
  send(response, 'application/json', JSON_BODY)
})

process.once('message', () => {
  server.listen(0, '127.0.0.1', () => process.send?.(getUrl()))
})

function getUrl(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function createBundle(pathname: string): string {
  return isolationBundle(getUrl(), `variant ${pathname.slice('/bundles/'.length)}`)
}

function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
