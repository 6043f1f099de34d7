import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import {
  IdOf,
  KnownText,
  listOf,
  Nullable,
  OptionalField,
  ref,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import type { AuthKind } from './auth-kinds.ts'
import { Category, CategoryInput } from './category.ts'
import type {
  Definition,
  DefinitionId,
  DefinitionReference,
  DefinitionSummary,
} from './definition.ts'
import { EntryField } from './entry-bundle.ts'
import { BundleField } from './load-bundle.ts'

/** The release stage of an integration (interface: releaseStage). */
const ReleaseStage = StrictObject(
  {
    key: Type.String({ description: 'The stage in capital letters.' }),
    name: Type.String({ description: 'The stage for people.' }),
  },
  {
    $id: 'ReleaseStage',
    description: 'The release stage of an integration.',
    examples: [{ key: 'CUSTOM', name: 'Custom' }],
  },
)
type ReleaseStage = Static<typeof ReleaseStage>

/** A field that names a definition by its ID or its key. */
export const definitionReference = (description: string, options: object = LENGTH) =>
  Type.Unsafe<DefinitionReference>(
    Type.String({ ...options, description: `${description}, by its ID or key.` }),
  )
const LENGTH = { minLength: 1, maxLength: 255 }

/** The same in a path, where another length means that there is no such definition. */
export const definitionInPath = definitionReference('The integration definition', {})

/** The path of a definition. */
export const DefinitionParams = Type.Object({ integrationDefinitionId: definitionInPath })

const fields = {
  integrationDefinitionId: IdOf<DefinitionId>({ description: 'ID of the definition.' }),
  name: Type.String({ description: 'Name of the integration.' }),
  key: Type.String({
    description: 'Key, unique among the live definitions of a workspace.',
  }),
  icon: Type.String({ description: 'URL of the icon.' }),
  version: Type.String({ description: 'Current version.' }),
  releaseStage: ref(ReleaseStage),
  sourceUrl: Type.String({ description: 'URL of the compiled bundle.' }),
  integrationType: ref(Category),
  workspaceId: IdOf<WorkspaceId>({ description: 'ID of the workspace.' }),
  deleted: Nullable(Timestamp('Time of deletion; null while live.')),
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

/** An integration definition in responses of create and list, and inside other objects (interface: IntegrationDefinition). */
export const IntegrationDefinition = StrictObject(fields, {
  $id: 'IntegrationDefinition',
  description: 'An integration.',
  examples: [example],
})
export type IntegrationDefinition = Static<typeof IntegrationDefinition>

/** An extended definition, for documents. */
export const EXTENDED_EXAMPLE = {
  ...example,
  isLatest: true,
  latestVersion: '0.0.1',
  latestVersionSource: 'https://cdn.example.com/acme-desk/index.js',
}

/** The extended form, returned only by get integration definition. */
export const ExtendedIntegrationDefinition = StrictObject(
  {
    ...fields,
    isLatest: Type.Boolean({ description: 'Whether it runs its latest version.' }),
    latestVersion: Type.String({ description: 'The latest version.' }),
    latestVersionSource: Type.String({ description: 'Source URL of the latest version.' }),
    overridden: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'What was changed in this integration of the catalogue, as paths into its entry, such as `auth.OAuth2.token`. Absent: nothing.',
      }),
    ),
  },
  {
    $id: 'ExtendedIntegrationDefinition',
    description: 'An integration definition with its latest version.',
    examples: [EXTENDED_EXAMPLE],
  },
)
export type ExtendedIntegrationDefinition = Static<typeof ExtendedIntegrationDefinition>

/** An auth type in lists. */
const AuthTypeSummary = StrictObject(
  {
    name: Type.String({ description: 'Its name, as in accounts.' }),
    kind: KnownText<AuthKind>(
      ['sign_in', 'credentials'],
      '`sign_in`: customers sign in at the provider, which needs an OAuth app. `credentials`: they enter them.',
    ),
    findsClient: Type.Optional(
      Type.Boolean({
        description:
          'True: the sign-in finds or registers its client at the server, and needs no OAuth app. Absent: it does not.',
      }),
    ),
  },
  {
    $id: 'AuthTypeSummary',
    description: 'A way to connect an integration.',
    examples: [{ name: 'Api Key', kind: 'credentials' }],
  },
)

/** The form in lists: with what a catalogue shows, without the spec. */
export const ListedIntegrationDefinition = StrictObject(
  {
    ...fields,
    isLatest: Type.Boolean({ description: 'Whether it runs its latest version.' }),
    latestVersion: Type.String({ description: 'The latest version.' }),
    authTypes: listOf(AuthTypeSummary, 'Its auth types.'),
    documentationUrl: Nullable(
      Type.String({
        description: "The provider's documentation; null if the catalogue does not name one.",
      }),
    ),
  },
  {
    $id: 'ListedIntegrationDefinition',
    description: 'An integration definition in lists.',
    examples: [
      {
        ...example,
        isLatest: true,
        latestVersion: '0.0.1',
        authTypes: [{ name: 'Api Key', kind: 'credentials' }],
        documentationUrl: null,
      },
    ],
  },
)
export type ListedIntegrationDefinition = Static<typeof ListedIntegrationDefinition>

export const CreateDefinition = StrictObject(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '\\S',
      description: 'Name of the integration.',
    }),
    sourceUrl: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'URL of the compiled bundle. Required without `bundle` and `entry`.',
      }),
    ),
    bundle: BundleField,
    entry: EntryField,
    integrationType: CategoryInput,
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  },
  {
    $id: 'CreateDefinition',
    if: {
      type: 'object',
      anyOf: ['bundle', 'entry'].map((name) => ({
        required: [name],
        properties: { [name]: { not: { type: 'null' } } },
      })),
    },
    else: {
      type: 'object',
      required: ['sourceUrl'],
      properties: { sourceUrl: { type: 'string' } },
    },
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

export const SetDefinitionIcon = StrictObject(
  {
    icon: Nullable(
      Type.String({
        minLength: 1,
        maxLength: 43_692,
        description:
          'A PNG or WebP image without animation in base64, of at most 32 kB, 16 to 512 pixels wide and high. null removes the icon.',
      }),
    ),
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
    ),
  },
  { $id: 'SetDefinitionIcon', examples: [{ icon: null }] },
)
export type SetDefinitionIcon = Static<typeof SetDefinitionIcon>

/** The query of get definition, get spec and list. */
export const DefinitionQuery = {
  workspaceId: Type.Optional(
    IdOf<WorkspaceId>({ maxLength: 64, description: 'Workspace identifier.' }),
  ),
  category: Type.Optional(
    Type.Array(Type.String({ maxLength: 500 }), {
      maxItems: 50,
      description: 'Category keys, comma-separated or repeated.',
    }),
  ),
}
export type DefinitionFilter = { readonly workspaceId?: WorkspaceId; readonly category?: string[] }

const STAGE_NAMES = {
  ALPHA: 'Alpha',
  BETA: 'Beta',
  GENERALLY_AVAILABLE: 'Generally available',
  CUSTOM: 'Custom',
  DEPRECATED: 'Deprecated',
} as const

export type StageKey = keyof typeof STAGE_NAMES

/** Converts a stored stage to the API representation. */
export function serializeReleaseStage(key: string): ReleaseStage {
  return { key, name: STAGE_NAMES[key as StageKey] ?? key }
}

/** Converts a row to the API representation. */
export function serializeDefinition(
  row: DefinitionSummary,
  baseUrl: string,
): IntegrationDefinition {
  return {
    integrationDefinitionId: row.definitionId,
    name: row.name,
    key: row.key,
    icon: toAbsoluteUrl(row.icon === '' ? '/icons/integration.svg' : row.icon, baseUrl),
    version: row.version,
    releaseStage: serializeReleaseStage(row.releaseStage),
    sourceUrl: toAbsoluteUrl(row.sourceUrl, baseUrl),
    integrationType: { key: row.typeKey, name: row.typeName },
    workspaceId: row.workspaceId,
    deleted: row.deletedAt === null ? null : toTimestamp(row.deletedAt),
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
  }
}

/** The extended form. A custom definition has no version but its own, which is therefore the latest. */
export function serializeExtendedDefinition(
  row: Definition,
  baseUrl: string,
  overridden: readonly string[],
): ExtendedIntegrationDefinition {
  return {
    ...serializeDefinition(row, baseUrl),
    ...compareWithLatest(row),
    latestVersionSource: toAbsoluteUrl(row.latestSourceUrl ?? row.sourceUrl, baseUrl),
    ...(overridden.length > 0 && { overridden: [...overridden] }),
  }
}

/** The form in lists. */
export function serializeListedDefinition(
  row: DefinitionSummary,
  {
    authTypes,
    documentationUrl,
  }: Pick<ListedIntegrationDefinition, 'authTypes' | 'documentationUrl'>,
  baseUrl: string,
): ListedIntegrationDefinition {
  return {
    ...serializeDefinition(row, baseUrl),
    ...compareWithLatest(row),
    authTypes,
    documentationUrl,
  }
}

function compareWithLatest({ version, latestVersion }: DefinitionSummary) {
  return {
    isLatest: latestVersion === null || latestVersion === version,
    latestVersion: latestVersion ?? version,
  }
}

/** The form inside links, which are public: removes the query of `sourceUrl`, which may contain a signature. */
export function serializeLinkedDefinition(
  row: DefinitionSummary,
  baseUrl: string,
): IntegrationDefinition {
  const definition = serializeDefinition(row, baseUrl)
  return { ...definition, sourceUrl: definition.sourceUrl.split(/[?#]/, 1)[0] ?? '' }
}

/** URLs of this service are stored without the base URL, which may change. */
function toAbsoluteUrl(url: string, baseUrl: string): string {
  return url.startsWith('/') ? baseUrl + url : url
}
