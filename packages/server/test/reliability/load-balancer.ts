import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Sends each request to the next node that its health check found ready, on kept-alive connections, without any retry. */
export interface LoadBalancer {
  readonly url: string
  /** Resolves when the node of this URL receives requests. */
  untilReady(url: string): Promise<void>
  close(): Promise<void>
}

/** Between two health checks of a node; one failure takes it out. */
export const CHECK_INTERVAL_MS = 200

/** Starts a load balancer for these nodes. */
export async function startLoadBalancer(nodeUrls: readonly string[]): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true })
  const ready = new Set<string>()
  let turn = 0
  const checks = nodeUrls.map((url) =>
    setInterval(async () => {
      const isReady = await fetch(`${url}/health/ready`, { headers: { connection: 'close' } }).then(
        async (response) => (await response.arrayBuffer()) && response.ok,
        () => false,
      )
      if (isReady) ready.add(url)
      else ready.delete(url)
    }, CHECK_INTERVAL_MS),
  )
  const server = createServer((incoming, outgoing) => {
    const nodes = [...ready]
    const node = nodes[turn++ % nodes.length]
    if (node === undefined) return void outgoing.writeHead(503).end('no node is ready')
    const { method, headers } = incoming
    const forwarded = request(node + incoming.url, { method, headers, agent }, (response) => {
      const { connection: _, 'keep-alive': __, ...others } = response.headers
      outgoing.writeHead(response.statusCode ?? 502, others)
      response.pipe(outgoing)
    })
    forwarded.on('error', (error) => outgoing.writeHead(502).end(String(error)))
    incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async untilReady(url) {
      while (!ready.has(url)) await sleep(CHECK_INTERVAL_MS / 4)
    },
    async close() {
      for (const check of checks) clearInterval(check)
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
