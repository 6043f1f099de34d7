import Type, { type Static } from 'typebox'
import { listOf, Nullable, StrictObject } from '../../http/schema.ts'

const VersionReference = StrictObject({
  version: Type.String({ description: 'The version.' }),
  sourceUrl: Type.String({ description: 'URL of its compiled bundle.' }),
})

/** A field that people fill in. */
export const PreviewField = StrictObject(
  {
    authType: Nullable(Type.String({ description: 'Its auth type; null: every one needs it.' })),
    name: Type.String({ description: 'Its name.' }),
  },
  {
    $id: 'PreviewField',
    description: 'A field of an integration.',
    examples: [{ authType: 'Api Key', name: 'region' }],
  },
)
export type PreviewField = Static<typeof PreviewField>

const BROKEN_EXAMPLE = {
  integrationAccountId: 'acc_01kahn2s6kf5arr5d1x6z5cq3b',
  code: 'validation_failed',
  error: 'The request body is invalid. config.region: Is required.',
}

/** An account that works now and would not any more. */
export const BrokenAccount = StrictObject(
  {
    integrationAccountId: Type.String({ description: 'Identifier of the account.' }),
    code: Type.String({ description: 'What kind of failure.' }),
    error: Type.String({ description: 'What is wrong, for people.' }),
  },
  {
    $id: 'BrokenAccount',
    description: 'An account that would not work any more.',
    examples: [BROKEN_EXAMPLE],
  },
)

const textList = (description: string) => Type.Array(Type.String(), { description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

/** What an upgrade would change. */
export const DefinitionPreview = StrictObject(
  {
    previewId: Type.String({ description: 'Identifier of the preview. It is kept for an hour.' }),
    state: Type.String({
      description:
        '`running`, `finished`, or `interrupted`: the service stopped meanwhile, and what is pending will not be tried.',
    }),
    from: VersionReference,
    to: VersionReference,
    fields: StrictObject({
      added: listOf(PreviewField, 'New ones.'),
      removed: listOf(PreviewField, 'Ones that are no more.'),
      changed: listOf(PreviewField, 'Ones that are described otherwise.'),
      nowRequired: listOf(PreviewField, 'Ones that were not required before.'),
    }),
    scopes: StrictObject({
      added: textList('New default scopes.'),
      removed: textList('Ones no more asked for.'),
    }),
    hosts: StrictObject({
      added: textList('Hosts that it, sign-in or calls did not reach before; `*`: every host.'),
      removed: textList('Hosts that are not reached any more.'),
    }),
    authTypes: StrictObject({
      added: textList('New ones.'),
      removed: textList('Ones that are no more.'),
    }),
    accounts: StrictObject({
      total: count('Live accounts of the workspace.'),
      checked: count('How many of them were tried.'),
      ok: count('How many work with the new version.'),
      wouldBreak: count('How many work now and would not any more.'),
      alreadyBroken: count('How many work with neither version.'),
      unreachable: count(
        'How many could not be judged: the provider or the integration did not answer.',
      ),
      pending: count('How many were not tried (yet).'),
      broken: listOf(BrokenAccount, 'Those that would break, at most 100.'),
    }),
  },
  {
    $id: 'DefinitionPreview',
    description: 'What an upgrade would change.',
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
        scopes: { added: [], removed: [] },
        hosts: { added: [], removed: [] },
        authTypes: { added: [], removed: [] },
        accounts: {
          ...{ total: 3, checked: 3, ok: 2, wouldBreak: 1, alreadyBroken: 0 },
          ...{ unreachable: 0, pending: 0, broken: [BROKEN_EXAMPLE] },
        },
      },
    ],
  },
)
export type DefinitionPreview = Static<typeof DefinitionPreview>

/** What is known of the accounts. */
export type PreviewAccounts = DefinitionPreview['accounts']
