import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { DefinitionReference } from './definition.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import type { DefinitionFilter } from './schemas.ts'

/** The validated spec, as the stored JSON text (interface: Get integration definition spec). */
export async function getDefinitionSpec(
  deps: FindDefinitionDeps,
  access: WorkspaceAccess,
  reference: DefinitionReference,
  filter: DefinitionFilter,
): Promise<string> {
  return (await findDefinition(deps, access, reference, filter)).specJson
}
