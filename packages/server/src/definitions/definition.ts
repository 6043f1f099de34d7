import Type, { type Static } from 'typebox'
import { Nullable, OptionalField, ref, StrictObject, Timestamp } from '../http/schema.ts'
import { Category, CategoryInput } from './category.ts'
import { ReleaseStage } from './release-stage.ts'

const fields = {
  integrationDefinitionId: Type.String({ description: 'Identifier of the definition.' }),
  name: Type.String({ description: 'Name of the integration.' }),
  key: Type.String({
    description: 'Textual identifier, unique among the live definitions of a workspace.',
  }),
  icon: Type.String({ description: 'Address of the icon.' }),
  version: Type.String({ description: 'Current version.' }),
  releaseStage: ref(ReleaseStage),
  sourceUrl: Type.String({ description: 'URL of the compiled bundle.' }),
  integrationType: ref(Category),
  workspaceId: Type.String({ description: 'Identifier of the workspace.' }),
  deleted: Nullable(Timestamp('When it was deleted; null while alive.')),
  createdAt: Timestamp('Creation time.'),
  updatedAt: Timestamp('Time of last update.'),
}

const example = {
  integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
  name: 'Acme Desk',
  key: 'acme_desk',
  icon: 'http://localhost:3000/icons/integration.svg',
  version: '0.0.1',
  releaseStage: { key: 'CUSTOM', name: 'Custom' },
  sourceUrl: 'https://cdn.example.com/acme-desk/index.js',
  integrationType: { key: 'TICKETING', name: 'Ticketing' },
  workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
  deleted: null,
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
}

/** An integration definition as create, list and nested forms show it (interface: IntegrationDefinition). */
export const IntegrationDefinition = StrictObject(fields, {
  $id: 'IntegrationDefinition',
  description: 'An integration.',
  examples: [example],
})
export type IntegrationDefinition = Static<typeof IntegrationDefinition>

/** The extended form that only get integration definition answers. */
export const ExtendedIntegrationDefinition = StrictObject(
  {
    ...fields,
    isLatest: Type.Boolean({ description: 'Whether it is on its latest version.' }),
    latestVersion: Type.String({ description: 'The current latest version.' }),
    latestVersionSource: Type.String({ description: 'Source code of the latest version.' }),
  },
  {
    $id: 'ExtendedIntegrationDefinition',
    description: 'An integration, with what is known of its latest version.',
    examples: [
      {
        ...example,
        isLatest: true,
        latestVersion: '0.0.1',
        latestVersionSource: 'https://cdn.example.com/acme-desk/index.js',
      },
    ],
  },
)
export type ExtendedIntegrationDefinition = Static<typeof ExtendedIntegrationDefinition>

export const CreateDefinition = StrictObject(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '\\S',
      description: 'Name of the integration.',
    }),
    sourceUrl: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'URL of the compiled bundle.',
    }),
    integrationType: CategoryInput,
    workspaceId: OptionalField(
      Type.String({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  },
  {
    $id: 'CreateDefinition',
    examples: [
      {
        name: 'Acme Desk',
        sourceUrl: 'https://cdn.example.com/acme-desk/index.js',
        integrationType: { key: 'TICKETING' },
      },
    ],
  },
)
export type CreateDefinition = Static<typeof CreateDefinition>

/** The query of get definition, spec and list. */
export const DefinitionQuery = {
  workspaceId: Type.Optional(Type.String({ maxLength: 64, description: 'Workspace identifier.' })),
  category: Type.Optional(
    Type.Array(Type.String({ maxLength: 500 }), {
      maxItems: 50,
      description: 'Category keys, comma-separated or repeated.',
    }),
  ),
}
export type DefinitionFilter = { readonly workspaceId?: string; readonly category?: string[] }
