import Type, { type Static } from 'typebox'
import { Nullable, OpenObject, StrictObject, Timestamp } from '../../../platform/http/schema.ts'

/** The response of Get account credentials, the only one with live credentials. */
export const AccountCredentials = StrictObject(
  {
    integrationAccountId: Type.String({ description: 'Identifier of the account.' }),
    authType: Type.String({ description: 'Its authentication type.' }),
    config: OpenObject({ description: 'The complete configuration, including secrets.' }),
    headers: Nullable(
      OpenObject({
        description:
          'Request headers that authenticate right now; null if the integration does not provide any.',
      }),
    ),
    expiresAt: Nullable(
      Timestamp(
        'When the access token in `config` expires; null if there is none, or if the expiry is unknown.',
      ),
    ),
  },
  {
    $id: 'AccountCredentials',
    description: 'Live credentials of an account.',
    examples: [
      {
        integrationAccountId: 'acc_01kahn2s6kf5arr5d1x6z5cq3b',
        authType: 'Api Key',
        config: { api_key: 'desk_live_example' },
        headers: { authorization: 'Bearer desk_live_example' },
        expiresAt: null,
      },
    ],
  },
)
export type AccountCredentials = Static<typeof AccountCredentials>
