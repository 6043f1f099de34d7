import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { type AccountId, TagsInput, TagsResponse } from '../../accounts/accounts/account.ts'
import { Category, CategoryInput } from '../../integrations/definitions/category.ts'
import { definitionReference } from '../../integrations/definitions/schemas.ts'
import {
  IdOf,
  listOf,
  Nullable,
  OpenObject,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { LANGUAGES, type Language } from '../../platform/i18n/language.ts'
import { toFailureCode } from '../../platform/record/attempt.ts'
import type { LinkId } from '../links/link.ts'
import {
  CONNECT_SESSION_STATUSES,
  type ConnectSession,
  type ConnectSessionId,
  type ConnectSessionStatus,
  getStatus,
} from './connect-session.ts'

const MODES: readonly ConnectSession['mode'][] = ['connect', 'manage']

const fields = {
  connectSessionId: IdOf<ConnectSessionId>({ description: 'Identifier of the connect session.' }),
  workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  linkId: Nullable(
    IdOf<LinkId>({
      description: 'The link whose restrictions apply; null: the settings of the workspace apply.',
    }),
  ),
  mode: Type.Unsafe<ConnectSession['mode']>({
    type: 'string',
    enum: MODES,
    description: 'connect: to add accounts; manage: reserved for the portal.',
  }),
  accountIdentifier: Nullable(
    Type.String({ description: 'The accountIdentifier of every account of the session.' }),
  ),
  integrationAccountId: Nullable(
    IdOf<AccountId>({ description: 'The account to reconnect; null to add accounts.' }),
  ),
  integrationDefinitionIds: Type.Array(Type.String(), {
    description:
      'The only definitions that it offers. Empty: those of the link or, without one, all.',
  }),
  category: listOf(
    Category,
    'The only categories that it offers. Empty: those of the link or, without one, all.',
  ),
  configFields: Type.Array(Type.String(), {
    description: 'The fields whose values are given. The values are not returned.',
  }),
  tags: TagsResponse,
  redirectURL: Nullable(Type.String({ description: 'Where the person returns to.' })),
  lang: Nullable(Type.String({ description: "The language of the page; null: the browser's." })),
  maxAccounts: Type.Integer({ description: 'How many accounts complete the session.' }),
  status: Type.Unsafe<ConnectSessionStatus>({
    type: 'string',
    enum: CONNECT_SESSION_STATUSES,
    description: 'created, opened (a browser is bound to it), completed, expired or revoked.',
  }),
  integrationAccountIds: Type.Array(Type.String(), {
    description: 'The accounts that were connected in the session, oldest first.',
  }),
  lastError: Type.Unsafe<{ code: string; at: string } | null>({
    ...StrictObject({
      code: Type.String({ description: 'A code, as in the event connect.failed.' }),
      at: Timestamp('When the attempt failed.'),
    }),
    type: ['object', 'null'],
    description: 'Why the last attempt failed; null after a success.',
  }),
  createdAt: Timestamp('Creation time.'),
  updatedAt: Timestamp('Time of last update.'),
  openedAt: Nullable(Timestamp('When a person pressed the button.')),
  completedAt: Nullable(Timestamp('When the last account was connected.')),
  expiresAt: Timestamp('Until when the session can be used.'),
}

/** The session in the examples. */
const connectSessionExample = {
  connectSessionId: 'cns_01kahn2s6kf5arr5d1x6z5cq3b',
  workspaceId: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
  linkId: null,
  mode: 'connect',
  accountIdentifier: 'customer-17',
  integrationAccountId: null,
  integrationDefinitionIds: [],
  category: [],
  configFields: [],
  tags: {},
  redirectURL: 'https://app.example.com/connected',
  lang: null,
  maxAccounts: 1,
  status: 'created',
  integrationAccountIds: [],
  lastError: null,
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
  openedAt: null,
  completedAt: null,
  expiresAt: '2026-11-21T10:30:00.000Z',
}

export const ConnectSessionResponse = StrictObject(fields, {
  $id: 'ConnectSession',
  description: 'A session in which one customer connects accounts.',
  examples: [connectSessionExample],
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
        ...connectSessionExample,
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
  const { lastCode, lastCodeAt, openedAt, completedAt } = session
  return {
    connectSessionId: session.connectSessionId,
    workspaceId: session.workspaceId,
    linkId: session.linkId,
    mode: session.mode,
    accountIdentifier: session.accountIdentifier,
    integrationAccountId: session.accountId,
    integrationDefinitionIds: [...session.definitionIds],
    category: [...session.categories],
    configFields: session.configFields.map(({ name }) => name),
    tags: { ...session.tags },
    redirectURL: session.redirectUrl,
    lang: session.lang,
    maxAccounts: session.maxAccounts,
    status: getStatus(session, now),
    integrationAccountIds: [...session.accountIds],
    lastError:
      lastCode === null || lastCodeAt === null
        ? null
        : { code: toFailureCode(lastCode), at: toTimestamp(lastCodeAt) },
    createdAt: toTimestamp(session.createdAt),
    updatedAt: toTimestamp(session.updatedAt),
    openedAt: openedAt === null ? null : toTimestamp(openedAt),
    completedAt: completedAt === null ? null : toTimestamp(completedAt),
    expiresAt: toTimestamp(session.expiresAt),
  }
}

/** The parameter of the paths of a connect session. */
export const ConnectSessionParams = Type.Object({
  connectSessionId: IdOf<ConnectSessionId>({ description: 'Identifier of the connect session.' }),
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
      Type.Unsafe<ConnectSession['mode']>({
        type: 'string',
        enum: [...MODES],
        description: 'Default: connect. manage requires accounts:write and accountIdentifier.',
      }),
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
          'The account to reconnect, instead of adding one. Requires accounts:write. Excludes integrationDefinitionIds, category, maxAccounts, tags and the mode manage.',
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
    tags: OptionalField(TagsInput),
    redirectURL: OptionalField(
      Type.String({
        maxLength: 2_048,
        description: "One of the link's redirectURLs or, if it has none, of the workspace's.",
      }),
    ),
    lang: OptionalField(
      Type.Unsafe<Language>({
        type: 'string',
        enum: [...LANGUAGES],
        description: "The language of the page. Default: the browser's.",
      }),
    ),
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
          'Lifetime in seconds. Default: 1800; 3600 with the mode manage; 604800 with integrationAccountId.',
      }),
    ),
  },
  {
    $id: 'CreateConnectSession',
    examples: [
      {
        accountIdentifier: 'customer-17',
        redirectURL: connectSessionExample.redirectURL,
      },
    ],
  },
)
export type CreateConnectSession = Static<typeof CreateConnectSession>
