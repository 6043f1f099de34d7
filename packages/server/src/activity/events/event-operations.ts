import Type, { type Static } from 'typebox'
import { type Caller, getTenant } from '../../access/auth/caller.ts'
import type { Admission } from '../../access/auth/request-queue.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import { ApiError, fieldError, invalidParameter, notFound } from '../../platform/errors.ts'
import { buildNextPageHeader, SHORT_PAGE, type TakeTurn } from '../../platform/http/pagination.ts'
import { IdOf, listOf, StrictObject } from '../../platform/http/schema.ts'
import { isId } from '../../platform/storage/id.ts'
import { EventResponse, isEventTypePattern, serializeEvent } from './event.ts'
import type { EventFilter, EventStore } from './event-store.ts'

/** The query parameters of List events. */
export const ListEventsQuery = StrictObject({
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace of the events.' }),
  ),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Only events with a higher `sequence`. Default: from the oldest event that is retained.',
    }),
  ),
  before: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only events with a lower `sequence`. Requires `order`.',
    }),
  ),
  order: Type.Optional(
    Type.Unsafe<'-sequence'>({
      type: 'string',
      enum: ['-sequence'],
      description: 'The newest first, without `wait`. Default: the oldest first.',
    }),
  ),
  types: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description:
        'Only these types, separated by commas. `account.*` stands for all types of accounts.',
    }),
  ),
  subject: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only events of the resource with this id.' }),
  ),
  accountIdentifier: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'Only events of accounts with this accountIdentifier.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'Maximum number of events. Default: 100.',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 25,
      description: 'Seconds to wait for the next event if there is none. Default: 0.',
    }),
  ),
})
export type ListEventsQuery = Static<typeof ListEventsQuery>

export interface ListEventsDeps {
  readonly events: EventStore
  readonly eventWaiters: EventWaiters
  readonly workspaces: WorkspaceStore
  readonly takeTurn: TakeTurn
}

interface ListEventsRouteDeps extends ListEventsDeps {
  readonly admission: Admission
  readonly baseUrl: () => string
}

/** Events in the order of their sequence numbers. */
export interface EventPage {
  readonly events: EventResponse[]
  /** The sequence number to continue after: no event up to it is missing from the pages so far. */
  readonly after: number
}

export const listEventsOperation = defineOperation({
  id: 'listEvents',
  sdk: 'events.list',
  method: 'GET',
  path: '/v1/event',
  tag: 'Events',
  summary: 'List the events of a workspace',
  description:
    'In the order of `sequence`. The `Link` header has the next page, which may be empty. With `wait`, a request without events waits for the next one. With `order=-sequence`, the newest come first, and only pages before the last have a next one.',
  scope: 'read',
  query: ListEventsQuery,
  response: listOf(EventResponse),
  returns: 'The events, oldest first unless `order` says otherwise.',
  errors: ['events_gone'],
  handle: async (deps: ListEventsRouteDeps, caller, { query }, reply) => {
    const { request, raw } = reply
    assertCompatible(query)
    if (query.order === '-sequence') {
      const { events, before } = await listNewestEvents(deps, caller, query)
      if (before !== undefined) {
        const next = { before: `${before}` }
        reply.header('link', buildNextPageHeader(deps.baseUrl(), request.originalUrl, next))
      }
      return events
    }
    const closing = new AbortController()
    raw.once('close', () => closing.abort())
    // A request that waits must not occupy one of its tenant's places.
    const onWait = () => deps.admission.leave(request.raw)
    const options = { signal: closing.signal, onWait }
    const { events, after } = await listEvents(deps, caller, query, options)
    const header = buildNextPageHeader(deps.baseUrl(), request.originalUrl, { after: `${after}` })
    reply.header('link', header)
    return events
  },
})

/**
 * The events of a workspace, oldest first. A request that finds none waits for the next, at most `wait` seconds.
 * `onWait` is called before, and the token is verified again after.
 *
 * @throws ApiError `events_gone` when events after `after` are no longer retained; `workspace_not_accessible`,
 * `invalid_parameter`
 */
export async function listEvents(
  deps: ListEventsDeps,
  caller: Caller,
  query: ListEventsQuery,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: () => void },
): Promise<EventPage> {
  const { limit = 100, wait = 0 } = query
  const filter = parseFilter(query)
  const workspaceId = await resolveWorkspace(deps.workspaces, caller, query.workspaceId)
  const deadline = performance.now() + wait * 1_000
  let { after } = query
  for (;;) {
    const page = await readPage(deps, caller, workspaceId, { after, limit }, filter)
    const remainingMs = deadline - performance.now()
    if (page.events.length > 0 || remainingMs <= 0 || signal.aborted) return page
    onWait()
    after = page.after
    const isFull = await deps.eventWaiters.wait(
      getTenant(caller),
      { workspaceId, after },
      remainingMs,
      signal,
    )
    if (isFull) return page
    // The token may have been revoked meanwhile, or the workspace deleted.
    await caller.reauthenticate?.()
    await resolveWorkspace(deps.workspaces, caller, workspaceId)
  }
}

/** @throws ApiError `invalid_parameter`: parameters that do not fit together */
function assertCompatible({ order, before, wait }: ListEventsQuery): void {
  if (order === undefined && before !== undefined)
    throw invalidParameter(fieldError('before', 'invalid', 'Requires order=-sequence.'))
  if (order !== undefined && wait !== undefined)
    throw invalidParameter(fieldError('wait', 'invalid', 'Is not available with order=-sequence.'))
}

function parseFilter({ subject, accountIdentifier, types }: ListEventsQuery): EventFilter {
  return {
    ...(types === undefined ? {} : { types: parseTypes(types) }),
    ...(subject === undefined ? {} : { subject }),
    ...(accountIdentifier === undefined ? {} : { accountIdentifier }),
  }
}

/** Events in the reverse order of their sequence numbers. */
interface NewestEvents {
  readonly events: EventResponse[]
  /** The sequence number to continue before; undefined if there are no earlier events. */
  readonly before: number | undefined
}

/**
 * The events of a workspace, newest first, in the windows that `readPage` reads. `after` limits them below.
 *
 * @throws ApiError `workspace_not_accessible`, `invalid_parameter`
 */
async function listNewestEvents(
  { events, workspaces, takeTurn }: ListEventsDeps,
  caller: Caller,
  query: ListEventsQuery,
): Promise<NewestEvents> {
  const { limit = 100, after = 0 } = query
  const filter = parseFilter(query)
  const workspaceId = await resolveWorkspace(workspaces, caller, query.workspaceId)
  const { oldest, last } = await events.getRange(caller, workspaceId)
  const start = Math.max(after, oldest - 1)
  const found: EventResponse[] = []
  let position = Math.min(query.before ?? last + 1, last + 1) - 1
  for (let count = 0; count < MAX_WINDOWS && position > start; count += 1) {
    if (count > 0 || limit > SHORT_PAGE) await takeTurn()
    const from = Math.max(position - WINDOW, start)
    const missing = limit - found.length
    const range = { after: from, until: position, limit: missing, order: 'desc' } as const
    const window = await events.list(caller, workspaceId, range, filter)
    found.push(...window.map(serializeEvent))
    const lastFound = window.length === missing ? window.at(-1) : undefined
    position = lastFound === undefined ? from : lastFound.sequence - 1
    if (lastFound !== undefined) break
  }
  return { events: found, before: position > start ? position + 1 : undefined }
}

/** Reads windows of sequence numbers, so that a filter that matches little does not read all events at once. */
async function readPage(
  { events, takeTurn }: ListEventsDeps,
  caller: Caller,
  workspaceId: WorkspaceId,
  { after, limit }: { readonly after: number | undefined; readonly limit: number },
  filter: EventFilter,
): Promise<EventPage> {
  const { oldest, last } = await events.getRange(caller, workspaceId)
  if (after !== undefined && after < oldest - 1) throw eventsGone(oldest)
  const found: EventResponse[] = []
  let position = after ?? oldest - 1
  for (let count = 0; count < MAX_WINDOWS && position < last; count += 1) {
    if (count > 0 || limit > SHORT_PAGE) await takeTurn()
    const until = Math.min(position + WINDOW, last)
    const missing = limit - found.length
    const range = { after: position, until, limit: missing }
    const window = await events.list(caller, workspaceId, range, filter)
    found.push(...window.map(serializeEvent))
    const lastFound = window.length === missing ? window.at(-1) : undefined
    if (lastFound !== undefined) return { events: found, after: lastFound.sequence }
    position = until
  }
  return { events: found, after: position }
}

const WINDOW = 1_000
const MAX_WINDOWS = 10

/** @throws ApiError `invalid_parameter` */
function parseTypes(text: string): string[] {
  const types = text.split(',').map((type) => type.trim())
  for (const type of types)
    if (!isEventTypePattern(type))
      throw invalidParameter(
        fieldError(
          'types',
          'unknown',
          `"${type}" is neither a type of event nor a prefix such as account.*.`,
        ),
      )
  return types
}

function eventsGone(oldest: number): ApiError {
  return new ApiError(
    'events_gone',
    `The next events are no longer retained: the oldest has the sequence number ${oldest}.`,
    { errors: fieldError('after', 'gone', String(oldest)) },
  )
}

/** Requests that wait for the next event of a workspace. */
interface EventWaiters {
  /**
   * Resolves when the workspace may have events above `after`, after `ms` milliseconds, or when `signal` aborts. Resolves
   * with true at once if too many requests of the tenant or of this process wait.
   */
  wait(
    tenant: string,
    target: { readonly workspaceId: WorkspaceId; readonly after: number },
    ms: number,
    signal: AbortSignal,
  ): Promise<boolean>
  /** Wakes the requests that wait for these workspaces. */
  wake(workspaceIds: readonly WorkspaceId[]): void
  /** Wakes all requests; later ones do not wait. */
  stop(): void
}

interface Waiter {
  readonly tenant: string
  readonly workspaceId: WorkspaceId
  readonly after: number
  readonly resolve: () => void
}

/** One timer asks for all who wait whether another process has numbered events. */
export function createEventWaiters(events: Pick<EventStore, 'listLast'>): EventWaiters {
  const waiters = new Set<Waiter>()
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const wakeWhere = (isDue: (waiter: Waiter) => boolean) => {
    for (const waiter of waiters) if (isDue(waiter)) waiter.resolve()
  }
  const poll = async () => {
    const workspaceIds = [...new Set([...waiters].map(({ workspaceId }) => workspaceId))]
    const last = await events.listLast(workspaceIds)
    wakeWhere(({ workspaceId, after }) => (last.get(workspaceId) ?? 0) > after)
  }
  const countOf = (tenant: string) => [...waiters].filter((one) => one.tenant === tenant).length
  return {
    async wait(tenant, { workspaceId, after }, ms, signal) {
      if (isStopped || signal.aborted || waiters.size >= MAX_WAITERS) return true
      if (countOf(tenant) >= MAX_WAITERS_PER_TENANT) return true
      const { promise, resolve } = Promise.withResolvers<void>()
      const stopWaiting = () => resolve()
      const waiter = { tenant, workspaceId, after, resolve }
      waiters.add(waiter)
      timer ??= setInterval(() => void poll().catch(() => {}), POLL_MS).unref()
      const timeout = setTimeout(resolve, ms)
      signal.addEventListener('abort', stopWaiting)
      await promise
      signal.removeEventListener('abort', stopWaiting)
      clearTimeout(timeout)
      waiters.delete(waiter)
      if (waiters.size === 0) {
        clearInterval(timer)
        timer = undefined
      }
      return isStopped
    },
    wake(workspaceIds) {
      wakeWhere(({ workspaceId }) => workspaceIds.includes(workspaceId))
    },
    stop() {
      isStopped = true
      wakeWhere(() => true)
    },
  }
}

const MAX_WAITERS = 1_000
const MAX_WAITERS_PER_TENANT = 100
const POLL_MS = 1_000

interface GetEventDeps {
  readonly events: EventStore
}

export const getEventOperation = defineOperation({
  id: 'getEvent',
  sdk: 'events.get',
  method: 'GET',
  path: '/v1/event/:eventId',
  tag: 'Events',
  summary: 'Get an event',
  description: 'Events are retained for a limited time.',
  scope: 'read',
  params: Type.Object({ eventId: Type.String({ description: 'Identifier of the event.' }) }),
  response: EventResponse,
  returns: 'The event.',
  errors: ['event_not_found'],
  handle: (deps: GetEventDeps, caller, { params }) => getEvent(deps, caller, params.eventId),
})

/** An event that is still retained. @throws ApiError `event_not_found` */
export async function getEvent(
  { events }: GetEventDeps,
  caller: Caller,
  eventId: string,
): Promise<EventResponse> {
  const event = isId('evt', eventId) ? await events.find(caller, eventId) : undefined
  if (event === undefined) throw notFound('event')
  return serializeEvent(event)
}

export const EVENT_OPERATIONS = [listEventsOperation, getEventOperation]
