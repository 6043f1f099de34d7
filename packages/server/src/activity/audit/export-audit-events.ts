import { Readable } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import Type, { type Static } from 'typebox'
import { type Caller, whileAuthenticated } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { parseTimes } from '../../platform/http/pagination.ts'
import { StrictObject, toTimestamp } from '../../platform/http/schema.ts'
import { record } from '../../platform/record/record-store.ts'
import { INITIAL_HASH } from '../../platform/storage/audit-inbox.ts'
import type { Database } from '../../platform/storage/database.ts'
import { type ChainedEntry, serializeAuditEntry } from './audit-entry.ts'
import type { AuditExportStore, ReadableChain } from './audit-store.ts'
import { EXPORT_TYPE, EXPORT_VERSION, hashHeader } from './hash-chain.ts'
import { AUDIT_RANGE, findRange, type ReadAuditDeps, selectChain } from './list-audit-events.ts'

/** The query parameters of Export audit events. */
export const ExportAuditEventsQuery = StrictObject(AUDIT_RANGE)
export type ExportAuditEventsQuery = Static<typeof ExportAuditEventsQuery>

export interface ExportAuditEventsDeps extends ReadAuditDeps {
  readonly auditExports: AuditExportStore
  readonly database: Database
  readonly now: () => number
}

export const exportAuditEventsOperation = defineOperation({
  id: 'exportAuditEvents',
  sdk: 'audit.export',
  method: 'GET',
  path: '/v1/audit/export',
  tag: 'Audit trail',
  summary: 'Export the audit trail of a workspace',
  description:
    'Streams JSON lines, oldest first, with what verifies them: see docs/audit.md. An export without the last line, of type `end`, is incomplete. The export is recorded in the audit trail.',
  scope: 'audit:read',
  query: ExportAuditEventsQuery,
  response: Type.String(),
  contentType: 'application/jsonl',
  returns: 'One JSON object per line.',
  errors: [],
  audit: 'audit.exported',
  handle: (deps: ExportAuditEventsDeps, caller, { query }) =>
    exportAuditEvents(deps, caller, query),
})

/**
 * A part of the audit trail as JSON lines that a third party can verify: the range and the hash before it, its entries in
 * the order of the chain, and the last hash. Recorded in the audit trail before the response starts.
 *
 * @throws ApiError `workspace_not_accessible`, `insufficient_scope`, `invalid_parameter`
 */
export async function exportAuditEvents(
  deps: ExportAuditEventsDeps,
  caller: Caller,
  query: ExportAuditEventsQuery,
): Promise<Readable> {
  const { audit, database, now } = deps
  const chain = await selectChain(deps, caller, query)
  const range = await findRange(audit, chain, parseTimes(query))
  const { from = null, to = null } = query
  await database.transaction((trx) =>
    record(trx, caller, now(), {
      action: 'audit.exported',
      workspaceId: chain.chainId,
      subject: chain.chainId ?? caller.userId,
      detail: { from, to },
    }),
  )
  const header = {
    type: EXPORT_TYPE,
    version: EXPORT_VERSION,
    workspaceId: chain.chainId,
    from,
    to,
    exportedAt: toTimestamp(now()),
  }
  const lines = whileAuthenticated(caller, writeLines(deps, chain, range, header))
  return Readable.from(lines, { objectMode: false })
}

/** Entries per query: memory stays bounded, and no transaction stays open. */
const PAGE = 50
/** V8 collects short texts soon, and long ones only when memory has grown. */
const MAX_TEXT = 16_384
/** A client that reads slower gets a truncated export, which has no last line. */
const MAX_MS = 10 * 60_000

async function* writeLines(
  { audit, auditExports, takeTurn }: ExportAuditEventsDeps,
  chain: ReadableChain,
  { first, last }: { readonly first: number; readonly last: number },
  header: object,
): AsyncGenerator<string> {
  const deadline = performance.now() + MAX_MS
  let sequence = first - 1
  let hash = first > last ? INITIAL_HASH : ((await audit.findHash(chain, sequence)) ?? INITIAL_HASH)
  const firstLine = { ...header, base: { sequence, hash } }
  yield toLine(firstLine)
  while (sequence < last) {
    if (performance.now() > deadline) throw new Error('the client reads the export too slowly')
    await takeTurn()
    const entries = await auditExports.readChain(chain, { first: sequence + 1, last, limit: PAGE })
    // Retention deleted them meanwhile: without its last line, the export is not complete.
    if (entries[0]?.sequence !== sequence + 1) throw new Error('entries were deleted meanwhile')
    let text = ''
    for (const entry of entries) {
      text += toLine(serializeExportedEntry(entry, hash))
      hash = entry.hash
      sequence = entry.sequence
      if (text.length >= MAX_TEXT) {
        yield text
        text = ''
      }
    }
    yield text
  }
  yield toLine({ type: 'end', sequence, hash, headerHash: hashHeader(firstLine) })
}

/** An entry with what verifies it. */
function serializeExportedEntry(entry: ChainedEntry, previousHash: string) {
  const { hash, personal } = entry
  return { ...serializeAuditEntry(entry), personal, previousHash, hash }
}

function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`
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
