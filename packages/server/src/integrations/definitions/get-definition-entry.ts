import type { Catalogue } from '@linchpin/catalogue'
import Type, { type Static } from 'typebox'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { Nullable, StrictObject } from '../../platform/http/schema.ts'
import type { BundleStore } from './bundle-store.ts'
import type { DefinitionReference } from './definition.ts'
import { EntryInput } from './entry-bundle.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import { parseBundledEntry } from './overridden.ts'
import { type DefinitionFilter, DefinitionParams, DefinitionQuery } from './schemas.ts'

const DefinitionEntry = StrictObject(
  {
    version: Type.String({ description: 'The version that has this entry.' }),
    entry: Nullable(EntryInput),
  },
  {
    $id: 'DefinitionEntry',
    description: 'The entry of a definition; null if code makes the integration.',
    examples: [{ version: '1.0.0', entry: null }],
  },
)
type DefinitionEntry = Static<typeof DefinitionEntry>

export interface GetDefinitionEntryDeps extends FindDefinitionDeps {
  readonly bundledCatalogue: Pick<Catalogue, 'runtimes'>
  readonly bundles: BundleStore
}

export const getDefinitionEntryOperation = defineOperation({
  id: 'getDefinitionEntry',
  sdk: 'definitions.getEntry',
  method: 'GET',
  path: '/v1/integration_definition/:integrationDefinitionId/entry',
  tag: 'Integration definitions',
  summary: 'Get the entry of an integration definition',
  description:
    'The integration as data, as in `entry.schema.json`: to change it and upgrade the definition, or to begin another one.',
  scope: 'read',
  params: DefinitionParams,
  query: StrictObject(DefinitionQuery),
  response: DefinitionEntry,
  returns: 'The entry; null if the bundle has code of its own.',
  errors: ['integration_definition_not_found'],
  handle: (deps: GetDefinitionEntryDeps, caller, { params, query }) =>
    getDefinitionEntry(deps, caller, params.integrationDefinitionId, query),
})

/** Reads the entry out of the stored bundle. @throws ApiError as findDefinition */
export async function getDefinitionEntry(
  { bundledCatalogue, bundles, ...deps }: GetDefinitionEntryDeps,
  access: WorkspaceAccess,
  reference: DefinitionReference,
  filter: DefinitionFilter,
): Promise<DefinitionEntry> {
  const { version, bundleSha256 } = await findDefinition(deps, access, reference, filter)
  const code = await bundles.code(bundleSha256)
  const entry = code && parseBundledEntry(bundledCatalogue, code)
  return { version, entry: entry === undefined ? null : { ...entry } }
}
