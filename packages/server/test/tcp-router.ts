import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A fixed address that leads to one of several servers, as a virtual IP address or a TCP proxy. */
export interface TcpRouter {
  readonly port: number
  /** Sends new connections to this port of 127.0.0.1. Open ones stay where they are. */
  moveTo(port: number): void
  /** Loses everything that is sent to and from a port, on new connections too, as a network that is cut. */
  silence(port: number): void
  /** The open connections to a port. */
  countConnections(port: number): number
  close(): Promise<void>
}

/** Starts a router to `port` of 127.0.0.1. */
export async function startTcpRouter(port: number): Promise<TcpRouter> {
  let target = port
  const silent = new Set<number>()
  const open = new Map<Socket, { readonly target: number; readonly outgoing: Socket }>()
  const server = createServer({ noDelay: true }, (incoming) => {
    const outgoing = connect({ port: target, host: '127.0.0.1', noDelay: true })
    open.set(incoming, { target, outgoing })
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      if (silent.has(target)) socket.resume()
      else socket.pipe(other)
      socket.on('error', () => {})
      socket.once('close', () => {
        open.delete(incoming)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    moveTo: (next) => {
      target = next
    },
    silence(of) {
      silent.add(of)
      for (const [incoming, { target, outgoing }] of open)
        if (target === of) for (const socket of [incoming, outgoing]) socket.unpipe().resume()
    },
    countConnections: (of) => [...open.values()].filter((each) => each.target === of).length,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open.keys()) socket.destroy()
      await closed
    },
  }
}
