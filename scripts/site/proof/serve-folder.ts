import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import path from 'node:path'

/** Serves the files of a folder on a free port of this machine; what does not exist is `404.html` with 404. */
export async function serveFolder(folder: string): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = path.join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    const found = existsSync(file)
    const served = found ? file : path.join(folder, '404.html')
    const type = TYPES[path.extname(served)] ?? 'application/octet-stream'
    response.writeHead(found ? 200 : 404, { 'Content-Type': type }).end(readFileSync(served))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return { server, url: `http://127.0.0.1:${address.port}` }
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
}
