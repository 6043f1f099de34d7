import Type, { type Static } from 'typebox'
import { StrictObject } from '../../../platform/http/schema.ts'

/** The status of one check. */
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

/** The diagnosis of an OAuth app. */
export const OAuthAppReport = StrictObject(
  {
    redirectUri: Type.String({ description: 'The redirect URI to register at the provider.' }),
    checks: Type.Array(
      StrictObject({
        name: Type.Unsafe<CheckName>({
          type: 'string',
          enum: [...CHECK_NAMES],
          description: 'The check.',
        }),
        status: Type.Unsafe<CheckStatus>({
          type: 'string',
          enum: [...CHECK_STATUSES],
          description: 'The result of the check.',
        }),
        message: Type.String({ description: 'What was found and what to do, in English.' }),
      }),
      { description: 'One entry per check, always in the same order.' },
    ),
    scopes: StrictObject(
      {
        spec: scopeList('Scopes that the integration requires.'),
        app: scopeList('Scopes of the app.'),
        missing: scopeList(
          'Scopes of the spec that the app lacks. Empty if the app has no scopes.',
        ),
        extra: scopeList('Scopes of the app that the spec does not list.'),
      },
      { description: 'The scopes of the spec and of the app, compared.' },
    ),
  },
  {
    $id: 'OAuthAppReport',
    description: 'The diagnosis of an OAuth app. It is not stored.',
    examples: [
      {
        redirectUri: 'https://connect.example.com/api/v1/oauth/callback',
        checks: [
          {
            name: 'client_credentials',
            status: 'failed',
            message: 'The provider does not know this client, or the client secret is wrong.',
          },
        ],
        scopes: { spec: ['read'], app: [], missing: [], extra: [] },
      },
    ],
  },
)
export type OAuthAppReport = Static<typeof OAuthAppReport>
export type OAuthAppCheck = OAuthAppReport['checks'][number]
