import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync } from 'fastify'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import { createResponseSchemas, listOf } from '../../platform/http/schema.ts'
import {
  type ExportAuditEventsDeps,
  ExportAuditEventsQuery,
  exportAuditEvents,
} from './export-audit-events.ts'
import { ListAuditEventsQuery, listAuditEvents } from './list-audit-events.ts'
import { AuditEvent } from './schemas.ts'

const tags = ['Audit trail']

export interface AuditRoutesDeps extends ExportAuditEventsDeps {
  readonly baseUrl: () => string
}

/** `/v1/audit` */
export function auditRoutes(deps: AuditRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/audit', {
      config: { scope: 'audit:read' },
      schema: {
        operationId: 'listAuditEvents',
        summary: 'List the audit trail of a workspace',
        description:
          'Returns a plain array, newest first. The `Link` header has the next page, which may be empty. Entries are listed within a second.',
        tags,
        querystring: ListAuditEventsQuery,
        response: createResponseSchemas(200, listOf(AuditEvent), 'The entries, newest first.'),
      },
      handler: async (request, reply) => {
        const { events, next } = await listAuditEvents(deps, getCaller(request), request.query)
        if (next !== undefined)
          reply.header('link', buildNextLink(deps.baseUrl(), request.originalUrl, next))
        return events
      },
    })

    app.get('/v1/audit/export', {
      config: { scope: 'audit:read' },
      schema: {
        operationId: 'exportAuditEvents',
        summary: 'Export the audit trail of a workspace',
        description:
          'Streams JSON lines, oldest first, with what verifies them: see docs/audit.md. An export without the last line, of type `end`, is incomplete. The export is recorded in the audit trail.',
        tags,
        querystring: ExportAuditEventsQuery,
        response: { ...createResponseSchemas(200, Type.Unknown(), ''), 200: EXPORT_RESPONSE },
      },
      handler: async (request, reply) =>
        reply
          .header('content-type', 'application/jsonl; charset=utf-8')
          .send(await exportAuditEvents(deps, getCaller(request), request.query)),
    })
  }
}

const EXPORT_RESPONSE = {
  description: 'One JSON object per line.',
  content: { 'application/jsonl': { schema: { type: 'string' } } },
}

function buildNextLink(baseUrl: string, url: string, cursor: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const searchParams = new URLSearchParams(query)
  searchParams.set('cursor', cursor)
  return `<${baseUrl}${path}?${searchParams}>; rel="next"`
}

/** A key that signs checkpoints: 32 bytes in base64url, and its JWK thumbprint. */
interface AuditKey {
  readonly publicKey: string
  readonly keyId: string
}

/** `/audit/jwks.json`, public: the key that signs checkpoints (RFC 7517 and RFC 8037). */
export function auditKeyRoute({
  readAuditKey,
}: {
  readonly readAuditKey: () => Promise<AuditKey>
}): FastifyPluginAsync {
  return async (app) => {
    app.get('/audit/jwks.json', { schema: { hide: true } }, async (_request, reply) => {
      const { publicKey: x, keyId: kid } = await readAuditKey()
      const key = { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }
      return reply
        .header('cache-control', 'public, max-age=300')
        .type('application/jwk-set+json')
        .serializer(String)
        .send(JSON.stringify({ keys: [key] }))
    })
  }
}
