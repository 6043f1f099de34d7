import Type, { type Static } from 'typebox'
import { Nullable, OpenObject, StrictObject, Timestamp } from '../../http/schema.ts'

/** Whether an account can be used, and if not, whose move it is. */
export const ACCOUNT_STATUSES = ['active', 'pending', 'needs_reauth', 'error'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** A connected account (interface: IntegrationAccount), with `accountIdentifier`. */
export const IntegrationAccount = StrictObject(
  {
    integrationAccountId: Type.String({ description: 'Identifier of the account.' }),
    integrationDefinitionId: Type.String({ description: 'Identifier of its definition.' }),
    integrationConfiguration: Nullable(
      OpenObject({
        description:
          'The public fields of its configuration. Never a secret. Null in links and once deleted.',
      }),
    ),
    authType: Type.String({ description: 'Type of authentication, a key of the spec.' }),
    workspaceId: Type.String({ description: 'Identifier of the workspace.' }),
    integrationAccountName: Type.String({ description: 'Display name.' }),
    deleted: Nullable(Timestamp('When it was deleted; null while alive.')),
    createdAt: Timestamp('Creation time.'),
    updatedAt: Timestamp('Time of last update.'),
    linkId: Nullable(
      Type.String({ description: 'The link it was made through; null without one.' }),
    ),
    accountIdentifier: Nullable(
      Type.String({ description: 'Groups accounts, for instance by user.' }),
    ),
    status: Type.Unsafe<AccountStatus>({
      type: 'string',
      enum: [...ACCOUNT_STATUSES],
      description: 'Whether it can be used: active, pending, needs_reauth or error.',
    }),
    statusReason: Nullable(
      Type.String({
        description:
          'A stable word that says why it is not active. On an active account `no_refresh_token`: it works until its access token ends. Else null.',
      }),
    ),
  },
  {
    $id: 'IntegrationAccount',
    description: 'A checked connection of one definition in one workspace.',
    examples: [
      {
        integrationAccountId: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationConfiguration: { base_url: 'https://desk.example.com' },
        authType: 'Api Key',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        integrationAccountName: 'Support desk',
        deleted: null,
        createdAt: '2026-11-21T10:00:00.000Z',
        updatedAt: '2026-11-21T10:00:00.000Z',
        linkId: null,
        accountIdentifier: null,
        status: 'active',
        statusReason: null,
      },
    ],
  },
)
export type IntegrationAccount = Static<typeof IntegrationAccount>

/** The answer of delete: the tombstone, and what the provider said. */
export const DeletedAccount = StrictObject(
  {
    ...IntegrationAccount.properties,
    revocation: Nullable(
      Type.String({
        description:
          'Whether the provider has revoked the tokens: revoked, failed, unsupported, or shared: another live account may rest on the same grant, and its deletion revokes it. Null when there was nothing to revoke, and when it is repeated.',
      }),
    ),
  },
  {
    $id: 'DeletedAccount',
    description: 'What is left of an account: its tombstone.',
    examples: [
      {
        integrationAccountId: 'acc_01kahn41dke3jtmrb2w3zj6t0y',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationConfiguration: null,
        authType: 'OAuth2',
        workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
        integrationAccountName: 'Support desk',
        deleted: '2026-11-21T11:00:00.000Z',
        createdAt: '2026-11-21T10:00:00.000Z',
        updatedAt: '2026-11-21T11:00:00.000Z',
        linkId: null,
        accountIdentifier: null,
        status: 'active',
        statusReason: null,
        revocation: 'revoked',
      },
    ],
  },
)
export type DeletedAccount = Static<typeof DeletedAccount>
