import type { Caller } from '../auth/caller.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import {
  type DefinitionFilter,
  type ExtendedIntegrationDefinition,
  serializeExtendedDefinition,
} from './schemas.ts'

/** Returns a definition in its extended form (interface: Get integration definition). @throws ApiError as findDefinition */
export async function getDefinition(
  deps: FindDefinitionDeps & { readonly baseUrl: () => string },
  caller: Caller,
  definitionId: string,
  filter: DefinitionFilter,
): Promise<ExtendedIntegrationDefinition> {
  return serializeExtendedDefinition(
    await findDefinition(deps, caller, definitionId, filter),
    deps.baseUrl(),
  )
}
