import Type, { type Static } from 'typebox'
import { OpenObject, OptionalField, StrictObject } from '../http/schema.ts'

const id = (description: string) =>
  OptionalField(Type.String({ minLength: 1, maxLength: 64, description }))
const flag = (description: string) => OptionalField(Type.Boolean({ description }))

/** The body of starting a connection by sign-in at the provider. */
export const StartOAuth = StrictObject(
  {
    workspaceId: id('Workspace identifier.'),
    linkId: id('The link that the account is added through. It knows its workspace.'),
    integrationOAuthAppId: id('The OAuth app to use. It knows its definition.'),
    integrationDefinitionId: id('Definition the account is for. Its OAuth app is used.'),
    integrationAccountName: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '\\S',
        description: 'Display name. Required unless it is a reconnect.',
      }),
    ),
    authType: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'A key of the spec. Default: OAuth2, else its first type with sign-in.',
      }),
    ),
    redirectURL: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          "Where the person is sent back to. Exactly one of the workspace's allowedRedirectURLs.",
      }),
    ),
    config: OptionalField(
      OpenObject({
        maxProperties: 200,
        description: 'What the spec asks for beyond what sign-in yields, such as a subdomain.',
      }),
    ),
    accountIdentifier: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Groups accounts, for instance by user.',
      }),
    ),
    integrationAccountId: id('The account to reconnect. Absent: a new one is made.'),
    confirm: flag(
      'Whether your backend confirms the connection (POST /v1/oauth/confirm). Default: true.',
    ),
    allowOtherIdentity: flag(
      'Whether a reconnect may sign in as somebody else than before. Default: false.',
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

/** Where to send the person. */
export const StartedOAuth = StrictObject(
  {
    status: Type.Integer({ description: 'Always 200.' }),
    redirectURL: Type.String({
      description: 'A page of ours, good for one use within 10 minutes. Send the person there.',
    }),
  },
  {
    $id: 'StartedOAuth',
    description: 'Where to send the person to sign in.',
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

/** The body of confirming a connection. */
export const ConfirmOAuth = StrictObject(
  {
    confirmToken: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The one-time token that arrived at redirectURL.',
    }),
  },
  {
    $id: 'ConfirmOAuth',
    examples: [{ confirmToken: 'u2PpQZk7f3bWc9Vx1nR5tYh8sLd0aGjK4mEoC6iBwUQ' }],
  },
)
export type ConfirmOAuth = Static<typeof ConfirmOAuth>
