import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { type AccountId, TagsInput } from '../../accounts/accounts/account.ts'
import { CategoryInput } from '../../integrations/definitions/category.ts'
import { definitionReference } from '../../integrations/definitions/schemas.ts'
import type { OAuthAppId } from '../../integrations/oauth-apps/oauth-app.ts'
import { allowedHosts } from '../../integrations/oauth-apps/schemas.ts'
import {
  IdOf,
  OneOf,
  OpenObject,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { LANGUAGES } from '../../platform/i18n/language.ts'
import { toFailureCode } from '../../platform/record/attempt.ts'
import { ChosenScopesInput } from '../links/chosen-scopes.ts'
import type { LinkId } from '../links/link.ts'
import {
  CONNECT_SESSION,
  CONNECT_SESSION_MODES,
  CONNECT_SESSION_STATUSES,
  type ConnectSession,
  getStatus,
} from './connect-session.ts'

const {
  integrationAccountIds,
  createdAt,
  updatedAt,
  openedAt,
  completedAt,
  expiresAt,
  ...settings
} = CONNECT_SESSION.schemas

const fields = {
  ...settings,
  status: OneOf(
    CONNECT_SESSION_STATUSES,
    'created, opened (a browser is bound to it), completed, expired or revoked.',
  ),
  integrationAccountIds,
  lastError: Type.Unsafe<{ code: string; at: string } | null>({
    ...StrictObject({
      code: Type.String({ description: 'A code, as in the event connect.failed.' }),
      at: Timestamp('When the attempt failed.'),
    }),
    type: ['object', 'null'],
    description: 'Why the last attempt failed; null after a success.',
  }),
  createdAt,
  updatedAt,
  openedAt,
  completedAt,
  expiresAt,
}

const values: Readonly<Record<string, unknown>> = {
  ...CONNECT_SESSION.example,
  status: 'created',
  lastError: null,
}
const example = Object.fromEntries(Object.keys(fields).map((name) => [name, values[name]]))

export const ConnectSessionResponse = StrictObject(fields, {
  $id: 'ConnectSession',
  description: 'A session in which one customer connects accounts.',
  examples: [example],
})
export type ConnectSessionResponse = Static<typeof ConnectSessionResponse>

export const NewConnectSession = StrictObject(
  {
    ...fields,
    token: Type.String({ description: 'The token for openLink. Returned this once.' }),
    url: Type.String({ description: 'The URL of the page. Returned this once.' }),
  },
  {
    $id: 'NewConnectSession',
    description: 'A new connect session, with its token.',
    examples: [
      {
        ...example,
        token: 'cnt_…',
        url: 'https://connect.example.com/connect/cnt_…',
      },
    ],
  },
)
export type NewConnectSession = Static<typeof NewConnectSession>

/** Serializes a session as it is at `now`. */
export function serializeConnectSession(
  session: ConnectSession,
  now: number,
): ConnectSessionResponse {
  const { lastCode, lastCodeAt } = session
  return {
    ...CONNECT_SESSION.serialize(session),
    status: getStatus(session, now),
    lastError:
      lastCode === null || lastCodeAt === null
        ? null
        : { code: toFailureCode(lastCode), at: toTimestamp(lastCodeAt) },
  }
}

/** The parameter of the paths of a connect session. */
export const ConnectSessionParams = Type.Object({
  connectSessionId: settings.connectSessionId,
})

export const CreateConnectSession = StrictObject(
  {
    workspaceId: OptionalField(
      IdOf<WorkspaceId>({
        maxLength: 64,
        description: 'Workspace identifier. Not together with linkId, which implies it.',
      }),
    ),
    linkId: OptionalField(
      IdOf<LinkId>({
        maxLength: 64,
        description:
          "A link whose restrictions, limits, origins and redirect URLs apply. Without one, the workspace's origins and redirect URLs apply.",
      }),
    ),
    mode: OptionalField(
      OneOf(
        CONNECT_SESSION_MODES,
        "Default: connect. manage requires accounts:write and accountIdentifier. app requires apps:write, accountIdentifier and one definition: the customer's administrator enters an OAuth app of their own, then connects.",
      ),
    ),
    accountIdentifier: OptionalField(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The accountIdentifier of every account of the session. Nothing in the browser can change it.',
      }),
    ),
    integrationAccountId: OptionalField(
      IdOf<AccountId>({
        maxLength: 64,
        description:
          'The account to reconnect, instead of adding one. Requires accounts:reconnect. Excludes integrationDefinitionIds, category, maxAccounts, tags and the mode manage.',
      }),
    ),
    integrationDefinitionIds: OptionalField(
      Type.Array(definitionReference('A definition that the session offers'), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'Offers only these definitions.',
      }),
    ),
    category: OptionalField(
      Type.Array(CategoryInput, { maxItems: 50, description: 'Offers only these categories.' }),
    ),
    config: OptionalField(
      OpenObject({
        maxProperties: 50,
        description:
          'Values of fields, which the person sees but cannot change. With a secret, every field that may choose a host must be given too.',
      }),
    ),
    hiddenConfig: OptionalField(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: 50,
        uniqueItems: true,
        description: 'Fields of config that the person does not see.',
      }),
    ),
    scopes: OptionalField(
      ChosenScopesInput(
        'The scopes that sign-ins request, in place of those of the link or of the OAuth app. With integrationAccountId: what to request in addition to what the account has.',
      ),
    ),
    tags: OptionalField(TagsInput),
    redirectURL: OptionalField(
      Type.String({
        maxLength: 2_048,
        description: "One of the link's redirectURLs or, if it has none, of the workspace's.",
      }),
    ),
    lang: OptionalField(OneOf(LANGUAGES, "The language of the page. Default: the browser's.")),
    maxAccounts: OptionalField(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'How many accounts complete the session. Default: 1.',
      }),
    ),
    expiresIn: OptionalField(
      Type.Integer({
        minimum: 60,
        maximum: 604_800,
        description:
          'Lifetime in seconds. Default: 1800; 3600 with the mode manage; 604800 with the mode app and with integrationAccountId.',
      }),
    ),
    integrationOAuthAppId: OptionalField(
      IdOf<OAuthAppId>({
        maxLength: 64,
        description:
          "The OAuth app with which the person signs in to its definition, instead of the customer's own or the default app. An app of the workspace or of this customer.",
      }),
    ),
    requireCustomerApp: OptionalField(
      Type.Boolean({
        description:
          "Accept sign-ins with the customer's own OAuth app only. Requires accountIdentifier or integrationAccountId. Default: false.",
      }),
    ),
    allowedHosts: OptionalField({
      ...allowedHosts,
      description:
        'Only with the mode app: hosts that may receive the client secret if a configuration determines the host. Default: as in Create OAuth app.',
    }),
  },
  {
    $id: 'CreateConnectSession',
    examples: [
      {
        accountIdentifier: 'customer-17',
        redirectURL: CONNECT_SESSION.example.redirectURL,
      },
    ],
  },
)
export type CreateConnectSession = Static<typeof CreateConnectSession>
