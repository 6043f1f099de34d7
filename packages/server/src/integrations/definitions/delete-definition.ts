import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { type DefinitionReference, isCatalogueDefinition } from './definition.ts'
import { type DefinitionUse, findDefinitionUse } from './definition-use-store.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import { DefinitionParams, IntegrationDefinition } from './schemas.ts'
import { serializeDefinition } from './serialize-definition.ts'

export interface DeleteDefinitionDeps extends FindDefinitionDeps {
  readonly database: Database
  readonly baseUrl: () => string
  readonly now: () => number
}

export const deleteDefinitionOperation = defineOperation({
  id: 'deleteDefinition',
  sdk: 'definitions.delete',
  method: 'DELETE',
  path: '/v1/integration_definition/:integrationDefinitionId',
  tag: 'Integration definitions',
  summary: 'Delete an integration definition',
  description:
    'Marks the definition as deleted and frees its key. Fails while live accounts use it.',
  scope: 'definitions:write',
  params: DefinitionParams,
  response: IntegrationDefinition,
  returns: 'Its tombstone.',
  errors: ['integration_definition_not_found', 'definition_in_use', 'definition_from_catalogue'],
  audit: 'definition.deleted',
  handle: (deps: DeleteDefinitionDeps, caller, { params }) =>
    deleteDefinition(deps, caller, params.integrationDefinitionId),
})

/**
 * Marks a definition as deleted and frees its key. Idempotent.
 *
 * @throws ApiError `integration_definition_not_found`; `definition_in_use` while live accounts, an OAuth app or OAuth
 * sessions in progress use it; `definition_from_catalogue`
 */
export async function deleteDefinition(
  deps: DeleteDefinitionDeps,
  caller: Caller,
  reference: DefinitionReference,
): Promise<IntegrationDefinition> {
  const row = await findDefinition(deps, caller, reference, {})
  const { definitionId } = row
  if (isCatalogueDefinition(row))
    throw new ApiError(
      'definition_from_catalogue',
      "Catalogue definitions can't be deleted. To hide one, restrict the definitions of the link.",
    )
  if (row.deletedAt === null) {
    const now = deps.now()
    // Serializable: no account may be created between the check and the deletion.
    await deps.database.transaction(
      async (trx) => {
        const use = await findDefinitionUse(trx, caller, definitionId, now)
        if (use !== undefined) throw new ApiError('definition_in_use', IN_USE_MESSAGES[use])
        await deps.definitions.markDeleted(trx, caller, definitionId, now)
        await record(trx, caller, now, {
          action: 'definition.deleted',
          workspaceId: row.workspaceId,
          subject: definitionId,
          event: {
            type: 'definition.deleted',
            subject: definitionId,
            data: {
              definition: serializeDefinition(
                { ...row, updatedAt: now, deletedAt: now },
                deps.baseUrl(),
              ),
            },
          },
        })
      },
      { serializable: true },
    )
  }
  const tombstone = await deps.definitions.find(caller, definitionId)
  if (tombstone === undefined) throw notFound('integration_definition')
  return serializeDefinition(tombstone, deps.baseUrl())
}

const IN_USE_MESSAGES: Readonly<Record<DefinitionUse, string>> = {
  accounts: 'Live accounts use this definition. Delete them first.',
  oauth_app: 'An OAuth app is registered for this definition. Delete the app first.',
  oauth_session:
    'An OAuth sign-in with this definition is in progress. Try again after it has ended.',
}
