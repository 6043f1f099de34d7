import { getCredential } from './get-credential.ts'
import type { ExampleRequest, ExampleResponse, Route } from './route.ts'

/** The dependencies of the desk. */
export interface DeskOptions {
  readonly delay: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** The delay for `desk_slow…` keys, in milliseconds. */
  readonly slowMs: number
}

/**
 * Acme Desk, an issue tracker. The key selects its behavior:
 *
 * | key | response |
 * |---|---|
 * | `desk_live_…` | 200 |
 * | `desk_slow…` | 200 after a long delay |
 * | `desk_busy…` | 429 with `Retry-After: 30` |
 * | `desk_down…` | 503 |
 * | `desk_revoked_…`, any other, none | 401 |
 */
export function createDeskRoutes(options: DeskOptions): Route[] {
  const requireKey = (body: (key: string) => unknown) => async (request: ExampleRequest) =>
    (await findErrorResponse(options, request)) ?? {
      status: 200,
      body: body(getCredential(request)),
    }
  return [
    { method: 'GET', path: /^\/api\/me$/, handle: requireKey(createUser) },
    { method: 'GET', path: /^\/api\/tickets$/, handle: requireKey(() => ({ tickets: TICKETS })) },
  ]
}

async function findErrorResponse(
  { delay, slowMs }: DeskOptions,
  request: ExampleRequest,
): Promise<ExampleResponse | undefined> {
  const key = getCredential(request)
  if (key.startsWith('desk_slow')) await delay(slowMs, request.signal)
  else if (key.startsWith('desk_busy')) return BUSY
  else if (key.startsWith('desk_down')) return MAINTENANCE_RESPONSE
  else if (key.startsWith('desk_revoked_'))
    return createUnauthorizedResponse('key_revoked', 'Key was revoked.')
  else if (!key.startsWith('desk_live_'))
    return createUnauthorizedResponse('key_unknown', 'Key is not known.')
  return undefined
}

/** Each key belongs to another person, so that tests can distinguish accounts. */
function createUser(key: string): unknown {
  const handle = key.replace(/^desk_[a-z]+_?/, '').slice(0, 4) || 'ada'
  return { id: `user_${handle}`, name: 'Ada Acme', email: `${handle}@acme.example` }
}

function createUnauthorizedResponse(error: string, message: string): ExampleResponse {
  return { status: 401, body: { error, message } }
}

const BUSY: ExampleResponse = {
  status: 429,
  headers: { 'Retry-After': '30' },
  body: { error: 'rate_limited', message: 'Too many requests.' },
}
const MAINTENANCE_RESPONSE: ExampleResponse = {
  status: 503,
  body: { error: 'maintenance', message: 'Back soon.' },
}
const TICKETS = [
  { id: 'T-1', title: 'Printer on fire', state: 'open' },
  { id: 'T-2', title: 'Café menu shows “naïve” prices', state: 'open' },
  { id: 'T-3', title: 'Coffee machine returns 418', state: 'closed' },
]
