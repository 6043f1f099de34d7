import type { SandboxPerson } from './sandbox-people.ts'

/** Responds to an authenticated request to the API of the sandbox. */
export async function answerSandboxApi(request: Request, person: SandboxPerson): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const path = pathname.replace(/^\/api/, '')
  if (path === '/me') return json(200, person)
  if (path === '/echo') return echo(request)
  if (path === '/limited')
    return json(429, { error: 'Too many requests.' }, { 'retry-after': '30' })
  if (path === '/tickets')
    return request.method === 'POST' ? createTicket(request) : listTickets(searchParams)
  const ticket = TICKETS.find(({ id }) => path === `/tickets/${id}`)
  return ticket ? json(200, ticket) : json(404, { error: 'There is no such resource.' })
}

/** A response with a JSON body. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body, { status, headers })
}

const TICKETS = [
  { id: 'ticket_1', title: 'Printer on fire', status: 'open', createdAt: '2026-01-05T09:00:00Z' },
  { id: 'ticket_2', title: 'Invoice is late', status: 'open', createdAt: '2026-01-06T10:30:00Z' },
  { id: 'ticket_3', title: 'New keyboard', status: 'closed', createdAt: '2026-01-07T14:45:00Z' },
]

/** A page of tickets; `Link` has the next one (RFC 8288). */
function listTickets(query: URLSearchParams): Response {
  const size = Math.max(1, Math.min(Number(query.get('per_page')) || 10, 10))
  const page = Math.max(1, Math.trunc(Number(query.get('page')) || 1))
  const tickets = TICKETS.slice((page - 1) * size, page * size)
  const next = `<https://${SANDBOX_HOST}/api/tickets?per_page=${size}&page=${page + 1}>; rel="next"`
  return json(200, { tickets }, page * size < TICKETS.length ? { link: next } : {})
}

/** The host of the sandbox. `.invalid` is never registered (RFC 2606). */
export const SANDBOX_HOST = 'sandbox.linchpin.invalid'
export const SANDBOX_ORIGIN = `https://${SANDBOX_HOST}`

/** Returns the ticket of a request. Nothing is stored. */
async function createTicket(request: Request): Promise<Response> {
  const body: unknown = await request.json().catch(() => undefined)
  const { title } = (body ?? {}) as { title?: unknown }
  if (typeof title !== 'string' || title === '')
    return json(422, { error: 'A ticket needs a title.', field: 'title' })
  return json(201, { id: 'ticket_4', title, status: 'open', createdAt: '2026-01-08T08:15:00Z' })
}

/** What the sandbox received, without its `Authorization` header. */
async function echo(request: Request): Promise<Response> {
  const headers = [...request.headers].filter(([name]) => name !== 'authorization')
  return json(200, {
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(headers),
    body: await request.text(),
  })
}
