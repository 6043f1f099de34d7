import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import { definitionReference } from '../../integrations/definitions/schemas.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { IdOf, OpenObject, OptionalField, StrictObject } from '../../platform/http/schema.ts'
import type { LinkId } from '../links/link.ts'

const id = <T extends string>(description: string) =>
  OptionalField(IdOf<T>({ minLength: 1, maxLength: 64, description }))
const flag = (description: string) => OptionalField(Type.Boolean({ description }))

/** The body of POST /v1/oauth. */
export const StartOAuth = StrictObject(
  {
    workspaceId: id<WorkspaceId>('Workspace identifier.'),
    linkId: id<LinkId>('Link to add the account through. Implies the workspace.'),
    integrationOAuthAppId: id<OAuthAppId>('OAuth app to use. Implies the definition.'),
    integrationDefinitionId: OptionalField(
      definitionReference('Definition of the account, whose OAuth app in the workspace is used'),
    ),
    integrationAccountName: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '\\S',
        description: 'Display name. Required unless an account is reconnected.',
      }),
    ),
    authType: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'An auth type of the spec. Default: that of the account to reconnect, else OAuth2, else the first type that uses OAuth.',
      }),
    ),
    redirectURL: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          "URL the user returns to. Must be exactly one of the workspace's allowedRedirectURLs.",
      }),
    ),
    config: OptionalField(
      OpenObject({
        maxProperties: 200,
        description: 'Fields of the spec that the provider does not fill, such as a subdomain.',
      }),
    ),
    accountIdentifier: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Groups accounts, for example by user.',
      }),
    ),
    integrationAccountId: id<AccountId>('Account to reconnect. Omit it to create an account.'),
    confirm: flag(
      'Whether your backend confirms the connection (POST /v1/oauth/confirm). Default: true.',
    ),
    allowOtherIdentity: flag(
      'Whether a different user may sign in on a reconnect. Default: false.',
    ),
  },
  {
    $id: 'StartOAuth',
    examples: [
      {
        integrationDefinitionId: 'def_01kahn2s6kf5arr5d1x6z5cq3b',
        integrationAccountName: 'Acme Books',
        redirectURL: 'https://app.example.com/connected',
        config: { subdomain: 'north' },
        accountIdentifier: 'customer-17',
      },
    ],
  },
)
export type StartOAuth = Static<typeof StartOAuth>

/** The response of POST /v1/oauth. */
export const StartedOAuth = StrictObject(
  {
    status: Type.Integer({ description: 'Always 200.' }),
    redirectURL: Type.String({
      description:
        'URL of a sign-in page, valid for one use within 10 minutes. Redirect the user to it.',
    }),
  },
  {
    $id: 'StartedOAuth',
    description: 'The page on which the user signs in.',
    examples: [
      {
        status: 200,
        redirectURL:
          'https://connect.example.com/oauth/connect/u2PpQZk7f3bWc9Vx1nR5tYh8sLd0aGjK4mEoC6iBwUQ',
      },
    ],
  },
)
export type StartedOAuth = Static<typeof StartedOAuth>

/** The body of POST /v1/oauth/confirm. */
export const ConfirmOAuth = StrictObject(
  {
    confirmToken: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The one-time token from the query of redirectURL.',
    }),
  },
  {
    $id: 'ConfirmOAuth',
    examples: [{ confirmToken: 'u2PpQZk7f3bWc9Vx1nR5tYh8sLd0aGjK4mEoC6iBwUQ' }],
  },
)
export type ConfirmOAuth = Static<typeof ConfirmOAuth>
