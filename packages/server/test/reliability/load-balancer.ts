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

export interface LoadBalancerOptions {
  /** Between two health checks of a node; one failure takes it out. */
  readonly checkIntervalMs?: number
  /** Whether a request goes to the next node if a node refuses the connection. Nothing else is repeated. */
  readonly retriesConnections?: boolean
}

/** Starts a load balancer for these nodes. */
export async function startLoadBalancer(
  nodeUrls: readonly string[],
  { checkIntervalMs = 200, retriesConnections = false }: LoadBalancerOptions = {},
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
    }, checkIntervalMs),
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
        if (retriesConnections && error.code === 'ECONNREFUSED') forward(others)
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
      while (!ready.has(url)) await sleep(checkIntervalMs / 4)
    },
    async close() {
      for (const check of checks) clearInterval(check)
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
