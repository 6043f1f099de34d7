import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'

/** A CONNECT proxy on 127.0.0.1, as operators use for LINCHPIN_EGRESS_PROXY. */
export async function startConnectProxy(): Promise<{ readonly url: string; stop(): void }> {
  const clients = new Set<Duplex>()
  const server = createServer().on('connect', ({ url = '' }, client) => {
    clients.add(client)
    const { hostname, port } = new URL(`http://${url}`)
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    for (const end of [client, upstream])
      end.on('error', () => {
        client.destroy()
        upstream.destroy()
      })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close()
      for (const client of clients) client.destroy()
    },
  }
}
