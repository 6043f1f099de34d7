import type { WorkspaceAccess } from '../auth/caller.ts'
import type { DefinitionId } from './definition.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import {
  type DefinitionFilter,
  type ExtendedIntegrationDefinition,
  serializeExtendedDefinition,
} from './schemas.ts'

/** Returns a definition in its extended form (interface: Get integration definition). @throws ApiError as findDefinition */
export async function getDefinition(
  deps: FindDefinitionDeps & { readonly baseUrl: () => string },
  access: WorkspaceAccess,
  definitionId: DefinitionId,
  filter: DefinitionFilter,
): Promise<ExtendedIntegrationDefinition> {
  return serializeExtendedDefinition(
    await findDefinition(deps, access, definitionId, filter),
    deps.baseUrl(),
  )
}
