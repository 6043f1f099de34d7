import Type, { type Static } from 'typebox'
import { StrictObject } from '../../http/schema.ts'

/** How one look at an OAuth app came out. */
const CHECK_STATUSES = ['ok', 'warning', 'failed', 'unknown'] as const
export type CheckStatus = (typeof CHECK_STATUSES)[number]

const CHECK_NAMES = [
  'redirect_uri',
  'token_endpoint',
  'client_credentials',
  'scopes',
  'refresh_tokens',
  'authorization_request',
] as const
export type CheckName = (typeof CHECK_NAMES)[number]

const scopeList = (description: string) => Type.Array(Type.String(), { description })

/** What the doctor found out about an OAuth app. */
export const OAuthAppReport = StrictObject(
  {
    redirectUri: Type.String({ description: 'The redirect URI to register at the provider.' }),
    checks: Type.Array(
      StrictObject({
        name: Type.Unsafe<CheckName>({
          type: 'string',
          enum: [...CHECK_NAMES],
          description: 'What was looked at.',
        }),
        status: Type.Unsafe<CheckStatus>({
          type: 'string',
          enum: [...CHECK_STATUSES],
          description: 'How it came out.',
        }),
        message: Type.String({ description: 'What was found and what to do, for people.' }),
      }),
      { description: 'One entry for each look, always in the same order.' },
    ),
    scopes: StrictObject({
      spec: scopeList('Scopes that the integration asks for.'),
      app: scopeList('Scopes of the app.'),
      missing: scopeList('Of the spec, but not of the app, where the app names any.'),
      extra: scopeList('Of the app, but not of the spec.'),
    }),
  },
  {
    $id: 'OAuthAppReport',
    description: 'What was found out about an OAuth app. Nothing is stored.',
    examples: [
      {
        redirectUri: 'https://connect.example.com/api/v1/oauth/callback',
        checks: [
          {
            name: 'client_credentials',
            status: 'failed',
            message: 'The provider does not know this client, or the secret is not its own.',
          },
        ],
        scopes: { spec: ['read'], app: [], missing: [], extra: [] },
      },
    ],
  },
)
export type OAuthAppReport = Static<typeof OAuthAppReport>
export type OAuthAppCheck = OAuthAppReport['checks'][number]
