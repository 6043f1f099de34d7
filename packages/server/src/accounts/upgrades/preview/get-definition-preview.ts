import Type from 'typebox'
import type { Caller } from '../../../access/auth/caller.ts'
import { defineOperation } from '../../../access/operations/define-operation.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { DefinitionReference } from '../../../integrations/definitions/definition.ts'
import type { FindDefinitionDeps } from '../../../integrations/definitions/find-definition.ts'
import { DefinitionParams } from '../../../integrations/definitions/schemas.ts'
import { notFound } from '../../../platform/errors.ts'
import { IdOf, StrictObject } from '../../../platform/http/schema.ts'
import { isId } from '../../../platform/storage/id.ts'
import { DefinitionPreview, type PreviewId } from '../schemas.ts'
import { findUpgradable } from '../upgrade-definition.ts'
import type { PreviewStore } from './preview-store.ts'

export interface GetDefinitionPreviewDeps extends FindDefinitionDeps {
  readonly previews: PreviewStore
  readonly now: () => number
}

export const getDefinitionPreviewOperation = defineOperation({
  id: 'getDefinitionPreview',
  sdk: 'definitions.getPreview',
  method: 'GET',
  path: '/v1/integration_definition/:integrationDefinitionId/preview/:previewId',
  tag: 'Integration definitions',
  summary: 'Get a preview of an upgrade',
  description: 'Previews are stored for an hour.',
  scope: 'read',
  params: Type.Object({
    ...DefinitionParams.properties,
    previewId: IdOf<PreviewId>({ description: 'ID of the preview.' }),
  }),
  query: StrictObject({
    workspaceId: Type.Optional(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  }),
  response: DefinitionPreview,
  returns: 'The current state of the preview.',
  errors: ['integration_definition_not_found', 'preview_not_found'],
  handle: (deps: GetDefinitionPreviewDeps, caller, { params, query }) =>
    getDefinitionPreview(deps, caller, params.integrationDefinitionId, params.previewId, query),
})

/** Returns the current state of a preview. @throws ApiError `preview_not_found` and those of findUpgradable */
export async function getDefinitionPreview(
  deps: GetDefinitionPreviewDeps,
  caller: Caller,
  reference: DefinitionReference,
  previewId: PreviewId,
  query: { readonly workspaceId?: WorkspaceId },
): Promise<DefinitionPreview> {
  const definition = await findUpgradable(deps, caller, reference, query)
  const now = deps.now()
  const stored = isId('pvw', previewId)
    ? await deps.previews.find(definition, previewId, now)
    : undefined
  if (stored === undefined) throw notFound('preview')
  const { preview, aliveUntil } = stored
  // The node that ran it is gone, so the remaining accounts will not be checked.
  const isOrphaned = preview.state === 'running' && aliveUntil <= now
  return isOrphaned ? { ...preview, state: 'interrupted' } : preview
}
