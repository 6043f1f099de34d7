import type { Definition } from '../../integrations/definitions/definition.ts'
import type { BundleVersion } from '../../integrations/definitions/definition-version-store.ts'
import {
  serializeDefinition,
  serializeExtendedDefinition,
} from '../../integrations/definitions/serialize-definition.ts'
import type { Actor } from '../../platform/record/change.ts'
import type { EventType } from '../../platform/record/event-types.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'

/** Records in its transaction that a definition got another version. */
export async function recordVersionChange(
  deps: { readonly baseUrl: () => string },
  trx: Transaction,
  actor: Actor,
  now: number,
  type: Extract<EventType, 'definition.upgraded' | 'definition.rolled_back'>,
  previous: Definition,
  { version, sourceUrl, bundleSha256 }: BundleVersion,
): Promise<void> {
  const { definitionId, workspaceId } = previous
  const versions = { from: previous.version, to: version }
  const current = { ...previous, version, sourceUrl, updatedAt: now }
  const definition = serializeDefinition(current, deps.baseUrl())
  await record(trx, actor, now, {
    action: type,
    workspaceId,
    subject: definitionId,
    detail: { ...versions, sha256: bundleSha256 },
    event: { type, subject: definitionId, data: { definition, ...versions } },
    response: serializeExtendedDefinition(current, deps.baseUrl()),
  })
}
