import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Reads the built front end. Its pages may show the connect page of Linchpin, and load nothing else from elsewhere. */
export async function loadStaticFiles(
  folder: string,
  linchpinUrl: string,
): Promise<(pathname: string) => Response> {
  const files = new Map<string, Buffer<ArrayBuffer>>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isFile()) files.set(`/${path.relative(folder, file)}`, await readFile(file))
  }
  const policy = `default-src 'self'; frame-src ${linchpinUrl}; connect-src 'self' ${linchpinUrl}`
  return (pathname) => {
    const name = pathname === '/' ? '/index.html' : pathname
    const file = files.get(name)
    if (file === undefined) return new Response('Not found', { status: 404 })
    const type = TYPES[path.extname(name)] ?? 'application/octet-stream'
    return new Response(file, {
      headers: { 'content-type': type, 'content-security-policy': policy },
    })
  }
}
