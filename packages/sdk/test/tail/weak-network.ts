import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** How a connection is lost: at once, in the middle of a response, or without a word, so that it seems to be alive. */
export type Cut = 'reset' | 'truncate' | 'silence'

/** A relay of TCP connections to a service. */
export interface WeakNetwork {
  readonly url: string
  /** Loses all connections, and refuses new ones for some milliseconds. */
  cut(kind: Cut, downMs: number): void
  /** Resolves when there is a connection. */
  waitForConnection(): Promise<void>
  close(): Promise<void>
}

export async function startWeakNetwork(target: string): Promise<WeakNetwork> {
  const { hostname, port } = new URL(target)
  const pairs = new Set<readonly [Socket, Socket]>()
  let downUntil = 0
  let isTruncating = false
  const server = createServer((near) => {
    if (Date.now() < downUntil) return near.destroy()
    const far = connect(Number(port), hostname)
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => {
      if (!isTruncating) return near.write(bytes)
      isTruncating = false
      return near.write(bytes.subarray(0, bytes.length / 2), end)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async waitForConnection() {
      while (pairs.size === 0) await once(server, 'connection')
    },
    cut(kind, downMs) {
      if (kind === 'truncate') isTruncating = true
      else for (const [near, far] of pairs) lose(near, far, kind)
      downUntil = Date.now() + downMs
    },
    async close() {
      for (const [near] of pairs) near.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function lose(near: Socket, far: Socket, kind: 'reset' | 'silence'): void {
  if (kind === 'reset') near.destroy()
  else for (const socket of [near, far]) socket.removeAllListeners('data').pause()
}
