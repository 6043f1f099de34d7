import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** Sends each request to the next node that its health check found ready, on kept-alive connections. */
export interface LoadBalancer {
  readonly url: string
  /** Resolves when the node of this URL receives requests. */
  untilReady(url: string): Promise<void>
  close(): Promise<void>
}

/** Between two health checks of a node; one failure takes it out. */
const CHECK_INTERVAL_MS = 200

/**
 * Starts a load balancer for these nodes. `retriesConnections`: a request goes to the next node if one accepts no connection.
 * Nothing else is repeated.
 */
export async function startLoadBalancer(
  nodeUrls: readonly string[],
  { retriesConnections = false } = {},
): Promise<LoadBalancer> {
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
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming)
    const forward = (nodes: readonly string[]): void => {
      const [node, ...others] = nodes
      if (node === undefined) return void outgoing.writeHead(503).end('no node is ready')
      const { method, headers } = incoming
      const forwarded = request(node + incoming.url, { method, headers, agent }, (response) => {
        const { connection: _, 'keep-alive': __, ...ownHeaders } = response.headers
        outgoing.writeHead(response.statusCode ?? 502, ownHeaders)
        response.pipe(outgoing)
      })
      forwarded.on('error', (error: NodeJS.ErrnoException) => {
        if (retriesConnections && error.syscall === 'connect') forward(others)
        else outgoing.writeHead(502).end(String(error))
      })
      forwarded.end(body)
    }
    const nodes = [...ready]
    const first = turn++ % Math.max(1, nodes.length)
    forward([...nodes.slice(first), ...nodes.slice(0, first)])
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
