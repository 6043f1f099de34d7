import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { DefinitionReference } from './definition.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import type { DefinitionFilter, ExtendedIntegrationDefinition } from './schemas.ts'
import { serializeExtendedDefinition } from './serialize-definition.ts'

/** Returns a definition in its extended form (interface: Get integration definition). @throws ApiError as findDefinition */
export async function getDefinition(
  deps: FindDefinitionDeps & { readonly baseUrl: () => string },
  access: WorkspaceAccess,
  reference: DefinitionReference,
  filter: DefinitionFilter,
): Promise<ExtendedIntegrationDefinition> {
  return serializeExtendedDefinition(
    await findDefinition(deps, access, reference, filter),
    deps.baseUrl(),
  )
}
