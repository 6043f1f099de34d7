import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Admission } from '../../access/auth/admission.ts'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { createResponseSchemas, EmptyQuery, listOf, ref } from '../../platform/http/schema.ts'
import { getEvent } from './get-event.ts'
import { type ListEventsDeps, ListEventsQuery, listEvents } from './list-events.ts'
import { EventResponse } from './schemas.ts'

const tags = ['Events']

export interface EventRoutesDeps extends ListEventsDeps {
  readonly admission: Admission
  readonly baseUrl: () => string
}

/** `/v1/event` */
export function eventRoutes(deps: EventRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.addHook('preClose', async () => deps.eventWaiters.stop())

    app.get('/v1/event', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listEvents',
        summary: 'List the events of a workspace',
        description:
          'Returns a plain array in the order of `sequence`. The `Link` header has the next page, which may be empty. With `wait`, a request without events waits for the next one.',
        tags,
        querystring: ListEventsQuery,
        response: createResponseSchemas(200, listOf(EventResponse), 'The events, oldest first.'),
      },
      handler: async (request, reply) => {
        const { raw } = reply
        const closing = new AbortController()
        raw.once('close', () => closing.abort())
        // A request that waits must not occupy one of its tenant's places.
        const onWait = () => deps.admission.leave(request.raw)
        const options = { signal: closing.signal, onWait }
        const { events, after } = await listEvents(deps, getCaller(request), request.query, options)
        reply.header('link', buildNextLink(deps.baseUrl(), request.originalUrl, after))
        return events
      },
    })

    app.get('/v1/event/:eventId', {
      config: { scope: 'read' },
      schema: {
        operationId: 'getEvent',
        summary: 'Get an event',
        description: 'Events are retained for a limited time.',
        tags,
        params: Type.Object({ eventId: Type.String({ description: 'Identifier of the event.' }) }),
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(EventResponse), 'The event.'),
      },
      handler: async (request) => getEvent(deps, getCaller(request), request.params.eventId),
    })
  }
}

function buildNextLink(baseUrl: string, url: string, after: number): string {
  const [path = '', query = ''] = url.split('?', 2)
  const searchParams = new URLSearchParams(query)
  searchParams.set('after', String(after))
  return `<${baseUrl}${path}?${searchParams}>; rel="next"`
}
