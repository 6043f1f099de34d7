import Type, { type Static, type TOptional, type TString } from 'typebox'
import {
  IdOf,
  Nullable,
  OptionalField,
  StrictObject,
  Timestamp,
  toTimestamp,
} from '../../platform/http/schema.ts'
import { LANGUAGES, type Language } from '../../platform/i18n/language.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { BrandText } from '../../platform/ui/branding.ts'
import { AgentRule, AgentRulesInput, RULES } from './agent-rules.ts'

export type WorkspaceId = Id<'wsp'>

/** A workspace of a user, to which everything else belongs. Times are epoch milliseconds. */
export interface Workspace {
  readonly workspaceId: WorkspaceId
  readonly userId: Id<'usr'>
  /** Unique among the workspaces of its user. */
  readonly slug: string
  /** The name that customers see; empty if it has none. */
  readonly name: string
  readonly settings: StoredSettings
  readonly initialSetupComplete: boolean
  readonly anonymousDataCollection: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly deletedAt: number | null
}

/** The settings that a workspace has made, without defaults. */
export interface StoredSettings {
  readonly theme?: Theme
  /** Exact URLs that pages may redirect to. */
  readonly allowedRedirectURLs?: readonly string[]
  /** Origins that may embed the connect page. */
  readonly allowedFrameOrigins?: readonly string[]
  readonly agents?: AgentSettings
}

/** How people answer the agents that work for them. */
export interface AgentSettings {
  /** The page of the product that identifies its user; absent: none. */
  readonly signInURL?: string
  /** What the MCP clients with which customers sign in may send; absent: none. */
  readonly rules?: readonly AgentRule[]
}

/** The appearance of the pages of a workspace. */
export interface Theme {
  /** Such as `#3366ff`. */
  readonly accentColor?: string
  readonly logoUrl?: string
  readonly privacyUrl?: string
  readonly termsUrl?: string
  /** Whether the pages say "Secured by Linchpin"; absent: yes. */
  readonly showFooter?: boolean
  /** Of the card, in pixels; smaller elements follow in proportion. */
  readonly cornerRadius?: number
  /** Own texts of the connect page: `default`, and translations by language. */
  readonly texts?: {
    readonly introduction?: BrandText
    readonly success?: BrandText
    readonly support?: BrandText
  }
}

const HttpsUrl = (description: string) =>
  Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2_048, description })

const PlainText = (description: string) =>
  Type.String({
    maxLength: 300,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
    description,
  })

/** A text and its translations; a language without one shows the default. */
const Translated = (description: string) => {
  const translations = LANGUAGES.map((language) => [
    language,
    Type.Optional(PlainText(`The text in the language ${language}.`)),
  ])
  return StrictObject(
    {
      default: PlainText('The text in every other language.'),
      ...(Object.fromEntries(translations) as TranslationFields),
    },
    { description },
  )
}

type TranslationFields = Record<Language, TOptional<TString>>

const ACCENT_COLOR = 'A hex color such as #3366ff.'
const LOGO_URL = 'URL of the logo.'
const PRIVACY_URL = 'URL of the privacy notice.'
const TERMS_URL = 'URL of the terms.'
const SHOW_FOOTER = 'Whether pages say "Secured by Linchpin". Default: true.'
const CORNER_RADIUS = 'Of the card, in pixels; smaller elements follow. Default: 14.'
const TEXTS = 'Own texts, plain, of at most 300 characters.'
const APPEARANCE = 'The appearance of the pages of this workspace.'

/** The theme in a request. */
const ThemeInput = StrictObject(
  {
    accentColor: Type.Optional(
      Type.String({
        pattern: '^#[0-9a-fA-F]{6}$',
        description: ACCENT_COLOR,
      }),
    ),
    logoUrl: Type.Optional(HttpsUrl(LOGO_URL)),
    privacyUrl: Type.Optional(HttpsUrl(PRIVACY_URL)),
    termsUrl: Type.Optional(HttpsUrl(TERMS_URL)),
    showFooter: Type.Optional(Type.Boolean({ description: SHOW_FOOTER })),
    cornerRadius: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 32,
        description: CORNER_RADIUS,
      }),
    ),
    texts: Type.Optional(
      StrictObject(
        {
          introduction: Type.Optional(Translated('Below the title of the list.')),
          success: Type.Optional(Translated('On the screen that says what is connected.')),
          support: Type.Optional(Translated('Below every page: whom to contact.')),
        },
        { description: TEXTS },
      ),
    ),
  },
  { description: `${APPEARANCE} Replaced as a whole.` },
)

const SIGN_IN_URL =
  'The page of the product that identifies its user, for people who answer agents. It gets the parameter `linchpin_request`.'

const SIGN_IN_RULES = `The rules of the MCP clients with which customers sign in, from their next sign-in on. ${RULES}`

const AgentSettingsInput = StrictObject(
  {
    signInURL: Type.Optional(Type.String({ maxLength: 2_048, description: SIGN_IN_URL })),
    rules: Type.Optional({ ...AgentRulesInput, description: SIGN_IN_RULES }),
  },
  { description: 'How people answer agents. Replaced as a whole.' },
)

/** The theme in a response: what was valid when it was stored. */
const StoredTheme = Type.Object(
  {
    accentColor: Type.Optional(Type.String({ description: ACCENT_COLOR })),
    logoUrl: Type.Optional(Type.String({ description: LOGO_URL })),
    privacyUrl: Type.Optional(Type.String({ description: PRIVACY_URL })),
    termsUrl: Type.Optional(Type.String({ description: TERMS_URL })),
    showFooter: Type.Optional(Type.Boolean({ description: SHOW_FOOTER })),
    cornerRadius: Type.Optional(Type.Integer({ description: CORNER_RADIUS })),
    texts: Type.Optional(
      Type.Object(
        {
          introduction: Type.Optional(Translated('Below the title of the list.')),
          success: Type.Optional(Translated('On the screen that says what is connected.')),
          support: Type.Optional(Translated('Below every page.')),
        },
        { additionalProperties: false, description: TEXTS },
      ),
    ),
  },
  { additionalProperties: false, description: APPEARANCE },
)

/** The fields of a workspace in a user response (interface: Workspace). */
const workspaceFields = {
  workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  slug: Type.String({ description: 'Short name, unique among the workspaces of its user.' }),
  userId: Type.String({ description: 'Identifier of its owner.' }),
  initialSetupComplete: Type.Boolean({ description: 'Whether the workspace is ready for use.' }),
  anonymousDataCollection: Type.Boolean({
    description: 'Always false: Linchpin collects no telemetry.',
  }),
  deleted: Nullable(Timestamp('Time of deletion; null if not deleted.')),
}

const settingsFields = {
  name: OptionalField(
    Type.String({ maxLength: 100, description: 'The name shown on the connect page.' }),
  ),
  theme: OptionalField(ThemeInput),
  allowedRedirectURLs: OptionalField(
    Type.Array(Type.String({ maxLength: 2_048, description: 'One exact URL.' }), {
      maxItems: 100,
      uniqueItems: true,
      description: 'URLs that the pages may redirect to. Compared exactly. Replaced as a whole.',
    }),
  ),
  allowedFrameOrigins: OptionalField(
    Type.Array(Type.String({ maxLength: 255, description: 'One origin.' }), {
      maxItems: 100,
      uniqueItems: true,
      description: 'Origins that may embed the connect page. Replaced as a whole.',
    }),
  ),
  agents: OptionalField(AgentSettingsInput),
}

/** The workspace in the examples. */
export const workspaceExample = {
  workspaceId: 'wsp_01kahn2s6kf5arr5d1x6z5cq3b',
  slug: 'workspace-4f7k2p',
  userId: 'usr_01kahn2s6kf5arr5d1x6z5cq3b',
  initialSetupComplete: true,
  anonymousDataCollection: false,
  deleted: null,
}

/** A workspace as Get user returns it. */
export const WorkspaceResponse = StrictObject(workspaceFields, {
  $id: 'Workspace',
  description: 'A workspace of a user.',
  examples: [workspaceExample],
})
export type WorkspaceResponse = Static<typeof WorkspaceResponse>

/** A workspace with its settings: the response of the workspace operations. */
export const WorkspaceSettings = StrictObject(
  {
    ...workspaceFields,
    name: Type.String({ description: 'The name shown on the connect page; empty if none.' }),
    theme: StoredTheme,
    allowedRedirectURLs: Type.Array(Type.String(), {
      description: 'URLs that the pages may redirect to.',
    }),
    allowedFrameOrigins: Type.Array(Type.String(), {
      description: 'Origins that may embed the connect page.',
    }),
    agents: StrictObject(
      {
        signInURL: Nullable(Type.String({ description: SIGN_IN_URL })),
        rules: Type.Array(AgentRule, { description: SIGN_IN_RULES }),
      },
      { description: 'How people answer agents.' },
    ),
    createdAt: Timestamp('Creation time.'),
    updatedAt: Timestamp('Time of last update.'),
  },
  {
    $id: 'WorkspaceSettings',
    description: 'A workspace with its settings.',
    examples: [
      {
        ...workspaceExample,
        name: 'Acme',
        theme: { accentColor: '#3366ff' },
        allowedRedirectURLs: ['https://app.example.com/connected'],
        allowedFrameOrigins: ['https://app.example.com'],
        agents: { signInURL: 'https://app.example.com/linchpin/sign-in', rules: [] },
        createdAt: '2026-11-21T10:00:00.000Z',
        updatedAt: '2026-11-21T10:00:00.000Z',
      },
    ],
  },
)
export type WorkspaceSettings = Static<typeof WorkspaceSettings>

const slug = OptionalField(
  Type.String({
    pattern: '^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$',
    description:
      'Lower-case letters, digits and hyphens. Default: workspace- followed by six random characters.',
  }),
)

export const CreateWorkspace = StrictObject(
  { slug },
  { $id: 'CreateWorkspace', examples: [{ slug: 'acme' }] },
)
export type CreateWorkspace = Static<typeof CreateWorkspace>

export const UpdateWorkspace = StrictObject(
  { slug, ...settingsFields },
  { $id: 'UpdateWorkspace', examples: [{ name: 'Acme', theme: { accentColor: '#3366ff' } }] },
)
export type UpdateWorkspace = Static<typeof UpdateWorkspace>

/** Serializes a workspace as Get user returns it. */
export function serializeWorkspace(workspace: Workspace): WorkspaceResponse {
  return {
    workspaceId: workspace.workspaceId,
    slug: workspace.slug,
    userId: workspace.userId,
    initialSetupComplete: workspace.initialSetupComplete,
    anonymousDataCollection: workspace.anonymousDataCollection,
    deleted: workspace.deletedAt === null ? null : toTimestamp(workspace.deletedAt),
  }
}

/** Serializes a workspace with its settings. */
export function serializeWorkspaceSettings(workspace: Workspace): WorkspaceSettings {
  const { settings } = workspace
  return {
    ...serializeWorkspace(workspace),
    name: workspace.name,
    theme: settings.theme ?? {},
    allowedRedirectURLs: [...(settings.allowedRedirectURLs ?? [])],
    allowedFrameOrigins: [...(settings.allowedFrameOrigins ?? [])],
    agents: {
      signInURL: settings.agents?.signInURL ?? null,
      rules: [...(settings.agents?.rules ?? [])],
    },
    createdAt: toTimestamp(workspace.createdAt),
    updatedAt: toTimestamp(workspace.updatedAt),
  }
}
