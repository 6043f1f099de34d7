import type { Caller } from '../caller/caller.ts'
import type { DefinitionFilter, ExtendedIntegrationDefinition } from './definition.ts'
import { toExtendedDefinition } from './definition-answer.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'

/** One definition in its extended form (interface: Get integration definition). @throws ApiError as findDefinition */
export async function getDefinition(
  deps: FindDefinitionDeps & { readonly baseUrl: () => string },
  caller: Caller,
  definitionId: string,
  filter: DefinitionFilter,
): Promise<ExtendedIntegrationDefinition> {
  return toExtendedDefinition(
    await findDefinition(deps, caller, definitionId, filter),
    deps.baseUrl(),
  )
}
