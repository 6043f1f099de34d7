import type { MergePatch } from '@linchpin/kit/entry'
import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { EntryField } from '../../integrations/definitions/entry-bundle.ts'
import { BundleField } from '../../integrations/definitions/load-bundle.ts'
import {
  EXTENDED_EXAMPLE,
  ExtendedIntegrationDefinition,
} from '../../integrations/definitions/schemas.ts'
import {
  IdOf,
  KnownText,
  listOf,
  Nullable,
  OptionalField,
  StrictObject,
} from '../../platform/http/schema.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { AccountId } from '../accounts/account.ts'

export type PreviewId = Id<'pvw'>

const workspaceId = OptionalField(
  IdOf<WorkspaceId>({
    maxLength: 64,
    description: 'For a catalogue definition: the workspace to change.',
  }),
)
const version = OptionalField(
  Type.String({ minLength: 1, maxLength: 50, pattern: '^[\\w.+-]+$', description: 'The version.' }),
)

/** The version to upgrade to. */
export const UpgradeDefinitionRequest = StrictObject(
  {
    sourceUrl: OptionalField(
      Type.String({ minLength: 1, maxLength: 2_048, description: 'URL of the compiled bundle.' }),
    ),
    bundle: BundleField,
    entry: EntryField,
    version,
    workspaceId,
  },
  { $id: 'UpgradeDefinition', examples: [{ version: '1.1.0' }] },
)
export type UpgradeDefinitionRequest = Static<typeof UpgradeDefinitionRequest>

const Patch = Type.Unsafe<MergePatch>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'A JSON merge patch (RFC 7396) for the entry of the catalogue: `null` removes a member. An empty one removes what was overridden.',
    },
  ),
)

/** The upgrade to preview, or the override. */
export const PreviewDefinitionRequest = StrictObject(
  { ...UpgradeDefinitionRequest.properties, patch: OptionalField(Patch) },
  { $id: 'PreviewDefinition', examples: [{ version: '1.1.0' }] },
)
export type PreviewDefinitionRequest = Static<typeof PreviewDefinitionRequest>

/** What to change in an integration of the catalogue. */
export const OverrideDefinition = StrictObject(
  { patch: Patch, workspaceId },
  {
    $id: 'OverrideDefinition',
    examples: [{ patch: { auth: { OAuth2: { scopes: { default: ['contacts.read'] } } } } }],
  },
)
export type OverrideDefinition = Static<typeof OverrideDefinition>

/** The version to roll back to. */
export const RollbackDefinition = StrictObject(
  { version, workspaceId },
  { $id: 'RollbackDefinition', examples: [{ version: '1.0.0' }] },
)
export type RollbackDefinition = Static<typeof RollbackDefinition>

const versionReference = (description: string) =>
  StrictObject(
    {
      version: Type.String({ description: 'The version.' }),
      sourceUrl: Type.String({ description: 'URL of the compiled bundle.' }),
    },
    { description },
  )

/** An input field of an integration. */
export const PreviewField = StrictObject(
  {
    authType: Nullable(
      Type.String({ description: 'Its auth type; null if all auth types need it.' }),
    ),
    name: Type.String({ description: 'Its name.' }),
  },
  {
    $id: 'PreviewField',
    description: 'An input field of an integration.',
    examples: [{ authType: 'Api Key', name: 'region' }],
  },
)
export type PreviewField = Static<typeof PreviewField>

const BROKEN_EXAMPLE = {
  integrationAccountId: 'acc_01kahn2s6kf5arr5d1x6z5cq3b',
  code: 'validation_failed',
  error: 'The request body is invalid. config.region: Is required.',
}

/** An account that works now but would not work with the new version. */
export const BrokenAccount = StrictObject(
  {
    integrationAccountId: IdOf<AccountId>({ description: 'ID of the account.' }),
    code: Type.String({ description: 'Error code.' }),
    error: Type.String({ description: 'Error message.' }),
  },
  {
    $id: 'BrokenAccount',
    description: 'An account that would stop working.',
    examples: [BROKEN_EXAMPLE],
  },
)

const toTextList = (description: string) => Type.Array(Type.String(), { description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const missingScopes = Type.Record(
  Type.String(),
  Type.Integer({ minimum: 0, description: 'How many accounts lack it.' }),
  {
    description:
      'How many live accounts of the workspace lack each scope that their sign-in would request with this version. A connect session with `scopes` requests it.',
  },
)

/** A definition that was changed to another version. */
export const UpgradedDefinition = StrictObject(
  { ...ExtendedIntegrationDefinition.properties, missingScopes },
  {
    $id: 'UpgradedDefinition',
    description: 'A definition that was changed to another version.',
    examples: [{ ...EXTENDED_EXAMPLE, missingScopes: { 'issues:write': 41 } }],
  },
)
export type UpgradedDefinition = Static<typeof UpgradedDefinition>

/** The effects of an upgrade. */
export const DefinitionPreview = StrictObject(
  {
    previewId: IdOf<PreviewId>({ description: 'ID of the preview. It is stored for an hour.' }),
    state: KnownText<string>(
      ['running', 'finished', 'interrupted'],
      '`interrupted` if the service stopped: pending accounts will not be checked.',
    ),
    from: versionReference('The version in use.'),
    to: versionReference('The version of the upgrade.'),
    fields: StrictObject(
      {
        added: listOf(PreviewField, 'New fields.'),
        removed: listOf(PreviewField, 'Removed fields.'),
        changed: listOf(PreviewField, 'Fields whose description changed.'),
        nowRequired: listOf(PreviewField, 'Fields that were optional before.'),
      },
      { description: 'How the fields of the forms change.' },
    ),
    scopes: StrictObject(
      {
        added: toTextList('New default scopes.'),
        removed: toTextList('Removed default scopes.'),
      },
      { description: 'How the default scopes change.' },
    ),
    missingScopes,
    hosts: StrictObject(
      {
        added: toTextList(
          'Hosts that the bundle, OAuth or proxied requests did not reach before; `*`: all hosts.',
        ),
        removed: toTextList('Hosts that are no longer reached.'),
      },
      { description: 'How the hosts that the integration reaches change.' },
    ),
    authTypes: StrictObject(
      {
        added: toTextList('New auth types.'),
        removed: toTextList('Removed auth types.'),
      },
      { description: 'How the auth types change.' },
    ),
    accounts: StrictObject(
      {
        total: count('Live accounts of the workspace.'),
        checked: count('Checked accounts.'),
        ok: count('Accounts that work with the new version.'),
        wouldBreak: count('Accounts that work now but would not work with the new version.'),
        alreadyBroken: count('Accounts that work with neither version.'),
        unreachable: count(
          'Accounts without a result, because the provider or the integration did not respond.',
        ),
        pending: count('Accounts that have not been checked.'),
        broken: listOf(BrokenAccount, 'Accounts that would break, at most 100.'),
      },
      { description: 'What became of the accounts that were checked.' },
    ),
  },
  {
    $id: 'DefinitionPreview',
    description: 'The effects of an upgrade.',
    examples: [
      {
        previewId: 'pvw_01kahn2s6kf5arr5d1x6z5cq3b',
        state: 'finished',
        from: { version: '1.0.0', sourceUrl: 'https://cdn.example.com/acme-desk/1.0.0.js' },
        to: { version: '1.1.0', sourceUrl: 'https://cdn.example.com/acme-desk/1.1.0.js' },
        fields: {
          added: [{ authType: 'Api Key', name: 'region' }],
          removed: [],
          changed: [],
          nowRequired: [{ authType: 'Api Key', name: 'region' }],
        },
        scopes: { added: ['issues:write'], removed: [] },
        missingScopes: { 'issues:write': 3 },
        hosts: { added: [], removed: [] },
        authTypes: { added: [], removed: [] },
        accounts: {
          total: 3,
          checked: 3,
          ok: 2,
          wouldBreak: 1,
          alreadyBroken: 0,
          unreachable: 0,
          pending: 0,
          broken: [BROKEN_EXAMPLE],
        },
      },
    ],
  },
)
export type DefinitionPreview = Static<typeof DefinitionPreview>

/** The results of the account checks so far. */
export type PreviewAccounts = DefinitionPreview['accounts']
