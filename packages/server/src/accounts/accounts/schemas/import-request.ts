import Type, { type Static } from 'typebox'
import { OptionalField, StrictObject } from '../../../platform/http/schema.ts'
import { CreateAccount } from './account-requests.ts'

const token = (description: string) => Type.String({ minLength: 1, maxLength: 16_384, description })

const ImportedTokens = StrictObject({
  accessToken: OptionalField(
    token('The access token. Without one, the first use fetches one with the refresh token.'),
  ),
  refreshToken: OptionalField(token('The refresh token. Nothing else may refresh it from now on.')),
  tokenType: OptionalField(
    Type.String({ minLength: 1, maxLength: 64, description: 'Default: `Bearer`.' }),
  ),
  scope: OptionalField(
    Type.String({
      maxLength: 8_192,
      description: 'The scopes that the provider granted, as it returned them.',
    }),
  ),
  expiresAt: OptionalField(
    Type.String({
      format: 'date-time',
      description: 'When the access token expires. Absent: unknown.',
    }),
  ),
})

/** The request body of Import integration account. */
export const ImportAccount = StrictObject(
  {
    ...CreateAccount.properties,
    externalId: Type.String({
      minLength: 1,
      maxLength: 512,
      description:
        'Its identifier in the system that it comes from, such as `nango:github/customer-17`. A workspace has at most one account for each.',
    }),
    config: OptionalField({
      ...CreateAccount.properties.config,
      description: 'The fields that the spec asks for. Tokens belong into `tokens`.',
    }),
    tokens: OptionalField(
      Type.Unsafe<Static<typeof ImportedTokens>>({
        ...ImportedTokens,
        description: 'The tokens of an auth type with OAuth sign-in; for no other.',
      }),
    ),
    createdAt: OptionalField(
      Type.String({
        format: 'date-time',
        description: 'When the account was connected. Default: now.',
      }),
    ),
    check: OptionalField(
      Type.Boolean({
        description:
          'Whether to check the credentials first, and to store them only if they work. Default: false.',
      }),
    ),
  },
  {
    $id: 'ImportAccount',
    examples: [
      {
        externalId: 'nango:github/customer-17',
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationAccountName: 'Customer 17',
        authType: 'OAuth2',
        tokens: {
          accessToken: 'gho_example',
          refreshToken: 'ghr_example',
          expiresAt: '2026-11-23T18:00:00.000Z',
        },
        accountIdentifier: 'customer-17',
        createdAt: '2025-03-01T09:30:00.000Z',
      },
    ],
  },
)
export type ImportAccount = Static<typeof ImportAccount>
