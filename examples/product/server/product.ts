import type { Server } from 'node:http'
import { isLinchpinError, Linchpin } from '@linchpin/sdk'
import type { Customer } from '../customers.ts'
import { Changes } from './changes.ts'
import { ConnectionNotFound, Connections } from './connections.ts'
import { createHttpServer } from './http.ts'
import { SignIns } from './sign-in.ts'
import { loadStaticFiles } from './static-files.ts'
import { createWebhook } from './webhook.ts'

export interface ProductOptions {
  /** Where the backend and browsers reach Linchpin. */
  readonly linchpinUrl: string
  readonly linchpinToken: string
  readonly webhookSecret: string
  /** The folder with the built front end. */
  readonly pagesFolder: string
}

type Route = (customer: Customer, id: string) => Promise<unknown>

/** The backend: the front end, its API, and the webhook. Does not listen yet. */
export async function createProduct(options: ProductOptions): Promise<Server> {
  const { linchpinUrl, linchpinToken, webhookSecret, pagesFolder } = options
  const linchpin = new Linchpin({ baseUrl: linchpinUrl, token: linchpinToken })
  const getFile = await loadStaticFiles(pagesFolder, linchpinUrl)
  const signIns = new SignIns()
  const changes = new Changes()
  const receiveWebhook = createWebhook(webhookSecret, changes)
  const routes = createRoutes(new Connections(linchpin, linchpinUrl))

  return createHttpServer(async (request) => {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith('/api/'))
      return pathname === '/webhook' ? receiveWebhook(request) : getFile(pathname)
    if (pathname === '/api/sign-in') return signIns.signIn(request)
    if (pathname === '/api/sign-out') return signIns.signOut(request)
    const customer = signIns.getCustomer(request)
    if (pathname === '/api/customer') return Response.json(customer ?? null)
    if (customer === undefined) return refuse(401, 'Sign in first.')
    if (pathname === '/api/changes') return changes.follow(customer.id)
    const [, id = ''] = /^\/api\/connections\/([^/]+)/.exec(pathname) ?? []
    const route = routes[`${request.method} ${id ? pathname.replace(id, ':id') : pathname}`]
    if (route === undefined) return refuse(404, 'There is no such address.')
    return route(customer, id).then((data) => Response.json(data ?? null), toErrorResponse)
  })
}

function createRoutes(connections: Connections): Record<string, Route> {
  return {
    'GET /api/connections': (customer) => connections.list(customer),
    'POST /api/connections': (customer) => connections.connect(customer),
    'POST /api/connections/:id/reconnect': (customer, id) => connections.reconnect(customer, id),
    'GET /api/connections/:id/tickets': (customer, id) => connections.listTickets(customer, id),
    'DELETE /api/connections/:id': (customer, id) => connections.disconnect(customer, id),
  }
}

function toErrorResponse(error: unknown): Response {
  if (error instanceof ConnectionNotFound) return refuse(404, 'There is no such connection.')
  if (isLinchpinError(error, 'needs_reauth'))
    return refuse(409, 'The tool no longer accepts this connection. Reconnect it.')
  console.error(error)
  return refuse(502, 'The tool did not respond as expected. Try again in a minute.')
}

function refuse(status: number, error: string): Response {
  return Response.json({ error }, { status })
}
