import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An embedding site at `http://127.0.0.1:port`, which is cross-site to the service at `http://localhost`. */
export interface HostSite {
  readonly origin: string
  /** Serves a page. Returns its URL. `headers` may contain a CSP. */
  serve(path: string, html: string, headers?: Record<string, string>): string
  /** Serves a script. */
  script(path: string, code: string): string
  close(): Promise<void>
}

export async function startHostSite(): Promise<HostSite> {
  const files = new Map<string, { type: string; text: string; headers: Record<string, string> }>()
  const server = createServer((request, response) => {
    const file = files.get((request.url ?? '').split('?', 1)[0] ?? '')
    if (file === undefined) response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end()
    else
      response
        .writeHead(200, { 'content-type': `${file.type}; charset=utf-8`, ...file.headers })
        .end(file.text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const addFile =
    (type: string) =>
    (path: string, text: string, headers = {}) => {
      files.set(path, { type, text, headers })
      return origin + path
    }
  const serve = addFile('text/html')
  const script = addFile('text/javascript')
  return {
    origin,
    serve,
    script,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
