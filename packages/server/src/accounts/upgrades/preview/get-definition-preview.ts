import type { Caller } from '../../../access/auth/caller.ts'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { DefinitionReference } from '../../../integrations/definitions/definition.ts'
import type { FindDefinitionDeps } from '../../../integrations/definitions/find-definition.ts'
import { notFound } from '../../../platform/errors.ts'
import { isId } from '../../../platform/storage/id.ts'
import type { DefinitionPreview, PreviewId } from '../schemas.ts'
import { findUpgradable } from '../upgrade-definition.ts'
import type { PreviewStore } from './preview-store.ts'

export interface GetDefinitionPreviewDeps extends FindDefinitionDeps {
  readonly previews: PreviewStore
  readonly now: () => number
}

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
