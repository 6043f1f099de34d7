import type { IntegrationDefinition, Linchpin } from '@linchpin/sdk'

/** The integrations of a workspace by their IDs. */
export type DefinitionNames = ReadonlyMap<
  string,
  Pick<IntegrationDefinition, 'name' | 'icon' | 'key'>
>

/** Reads the integrations that a workspace can use: screens show their names and icons. */
export async function readDefinitionNames(api: Linchpin): Promise<DefinitionNames> {
  const definitions = await api.definitions.list().first(Number.POSITIVE_INFINITY)
  return new Map(definitions.map((definition) => [definition.integrationDefinitionId, definition]))
}
