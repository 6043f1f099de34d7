import type {
  FailureCode,
  MessageParams,
  MessageTemplate,
  ScreenMessageParams,
  TextTemplate,
} from './localized-text.ts'

export type { Message } from './localized-text.ts'

/**
 * Every text of our pages: one object per language (`languages/en.ts`, `languages/de.ts`, …), returned by `getMessages`. Names,
 * hosts and numbers are parameters; pages escape them and isolate their direction (`LocalizedText`).
 */
export interface Messages {
  /** The BCP 47 tag for numbers, dates and durations. */
  readonly locale: string
  /** The writing direction. */
  readonly direction: 'ltr' | 'rtl'
  /** Technical terms that no text contains, because customers need not know them; a test looks for them. */
  readonly technicalTerms: RegExp
  /** In the footer of each page. */
  readonly secured: string
  readonly privacy: string
  readonly terms: string
  /** Stands for the name of a workspace that has none, in lower case; `t` capitalizes it at the start of a sentence. */
  readonly thisApp: string
  readonly action: ActionMessages
  readonly picker: PickerMessages
  readonly auth: AuthMessages
  readonly form: FormMessages
  readonly states: {
    readonly [Name in keyof ScreenMessageParams]: MessageTemplate<ScreenMessageParams[Name]>
  }
  readonly portal: PortalMessages
  /** By error code: what happened and what to do about it. */
  readonly failures: { readonly [Code in FailureCode]: TextTemplate<'tool' | 'workspace'> }
  readonly setup: SetupMessages
  readonly agent: AgentMessages
  readonly consent: ConsentMessages
  readonly sandbox: SandboxMessages
  readonly host: HostMessages
  /**
   * Labels that many specs use, by their English in lower case. A label that is absent is shown as the spec spells it, which is
   * English.
   */
  readonly labels: Readonly<Partial<Record<CommonLabel, string>>>
}

/** The messages of a language other than English, in which no label is absent. */
export interface Translation extends Messages {
  readonly labels: Readonly<Record<CommonLabel, string>>
}

/** Buttons and links. */
export interface ActionMessages {
  readonly back: string
  readonly close: string
  readonly cancel: string
  readonly done: string
  readonly tryAgain: string
  readonly continue: string
  readonly startAgain: string
  /** Polls the server now. */
  readonly checkAgain: string
  readonly chooseAnother: string
  readonly connectAnother: string
  /** The choices if the same user of the tool is connected. */
  readonly updateConnection: string
  readonly addConnection: string
  readonly openAgain: string
  readonly connect: TextTemplate<'tool'>
  readonly continueTo: TextTemplate<'tool'>
  readonly returnTo: TextTemplate<'workspace'>
  /** While the page is about to return by itself, and the button that prevents it. */
  readonly returning: TextTemplate<'workspace'>
  readonly stay: string
}

/** The list of integrations. */
export interface PickerMessages {
  readonly title: TextTemplate<'workspace'>
  readonly body: string
  readonly search: string
  readonly searchButton: string
  /** Passes over the categories, for a keyboard without the script. */
  readonly skip: string
  readonly clear: string
  readonly categories: string
  readonly all: string
  /** How many integrations are shown; announced while the person types. */
  readonly resultCount: TextTemplate<'count'>
  readonly noMatch: MessageTemplate<'query'>
  /** Heading of the accounts that were connected in this session. */
  readonly connectedHere: string
  readonly connected: string
  /** Badge of a custom integration. */
  readonly custom: string
  /** Badge of the test tool, Acme Sandbox. */
  readonly test: string
  /** Known categories by lower-case key; other categories are shown under their own name. */
  readonly category: Readonly<Record<CategoryKey, string>>
}

export type CategoryKey =
  | 'accounting'
  | 'ai'
  | 'analytics'
  | 'ats'
  | 'calendar'
  | 'crm'
  | 'developer_tools'
  | 'documentation'
  | 'hris'
  | 'identity'
  | 'mail'
  | 'marketing'
  | 'messaging'
  | 'other'
  | 'payments'
  | 'project_management'
  | 'social'
  | 'storage'
  | 'support'
  | 'ticketing'

/** The auth methods of one integration. */
export interface AuthMessages {
  readonly title: TextTemplate<'tool'>
  readonly body: string
  readonly signIn: TextTemplate<'tool'>
  readonly signInLine: TextTemplate<'host'>
  readonly recommended: string
  readonly apiKey: string
  readonly apiKeyLine: TextTemplate<'tool'>
  readonly tokenLine: TextTemplate<'tool'>
  readonly token: string
  readonly password: string
  readonly passwordLine: string
  /** What a method asks for: the labels of its fields. */
  readonly fieldsLine: TextTemplate<'label'>
  /** Heading of the scopes that a sign-in requests. */
  readonly scopes: TextTemplate<'workspace'>
  /** Heading of the scopes that a sign-in requests in addition to what the account has. */
  readonly newScopes: TextTemplate<'workspace'>
  /** Unfolds the rest of them, always several. */
  readonly moreScopes: TextTemplate<'count'>
  /** A method that only the spec names (`label`). */
  readonly other: TextTemplate<'label'>
}

/** The credentials form. */
export interface FormMessages {
  readonly title: TextTemplate<'workspace' | 'tool'>
  /** The title of the form for an account that exists. */
  readonly reconnectTitle: TextTemplate<'tool' | 'workspace'>
  /** Unfolds the stored values of the account that is reconnected. */
  readonly change: string
  /** What the workspace will be able to do, and how the credentials are stored. */
  readonly body: TextTemplate<'workspace' | 'tool'>
  /** The same for a form whose only secret is a key. */
  readonly bodyForKey: TextTemplate<'workspace' | 'tool'>
  readonly custom: TextTemplate<'workspace' | 'tool'>
  readonly optional: string
  readonly choose: string
  readonly show: string
  readonly hide: string
  readonly showField: TextTemplate<'label'>
  readonly hideField: TextTemplate<'label'>
  readonly whereToFind: string
  readonly newWindow: string
  /** Above a form with invalid fields. */
  readonly fieldErrors: TextTemplate<'count'>
  /** Above a rejected form whose secrets must be entered again. */
  readonly reenterSecrets: string
  /** Above a form whose session has expired. */
  readonly sessionLost: string
  readonly missing: TextTemplate<'label'>
  readonly notChosen: TextTemplate<'label'>
  readonly notEmail: string
  readonly notUrl: string
  readonly notNumber: string
  readonly notDate: string
  readonly tooShort: TextTemplate<'count'>
  readonly tooLong: TextTemplate<'count'>
  readonly tooSmall: TextTemplate<'count'>
  readonly tooLarge: TextTemplate<'count'>
  readonly patternMismatch: TextTemplate<'label'>
  readonly example: TextTemplate<'label'>
  /** How to enter several values in one field. */
  readonly linesHelp: string
  readonly jsonHelp: string
}

/** The connections of one customer, whose names are `account`. */
export interface PortalMessages {
  /** The first page, whose button binds the session to the browser. */
  readonly start: MessageTemplate<'workspace'>
  readonly title: TextTemplate<'workspace'>
  readonly body: string
  /** Instead, how many of all connections only the person can help. */
  readonly attention: TextTemplate<'count' | 'total'>
  readonly none: MessageTemplate<'workspace'>
  readonly signedInAs: TextTemplate<'account'>
  readonly connectedOn: TextTemplate<'at'>
  readonly lastUsedOn: TextTemplate<'at'>
  /** The same for the last days, by their number; 0 is today. */
  readonly lastUsedAgo: TextTemplate<'count'>
  readonly neverUsed: string
  readonly active: string
  /** It was imported, and its credentials have not worked yet. */
  readonly unchecked: string
  /** Only the person can help. */
  readonly needsReauth: string
  /** Only the workspace can help. */
  readonly error: TextTemplate<'workspace'>
  readonly pending: TextTemplate<'workspace'>
  /** The accessible name of the menu of an account. */
  readonly more: TextTemplate<'tool' | 'account'>
  readonly disconnect: string
  /** The accessible name of that link. */
  readonly disconnectAccount: TextTemplate<'tool' | 'account'>
  readonly reconnect: string
  readonly reconnectAccount: TextTemplate<'tool' | 'account'>
  readonly connectFirst: string
  readonly showMore: string
  /** Leads back to the list. */
  readonly yourConnections: string
  readonly ask: MessageTemplate<'tool' | 'workspace'>
  readonly confirm: TextTemplate<'tool'>
  readonly keep: string
  readonly disconnected: TextTemplate<'tool'>
  readonly revoked: TextTemplate<'tool'>
  readonly revocationUnsupported: TextTemplate<'tool'>
  readonly revocationFailed: TextTemplate<'tool'>
  /** Another account uses the same grant. */
  readonly grantShared: TextTemplate<'tool'>
  readonly nothingToRevoke: TextTemplate<'tool'>
  readonly gone: MessageTemplate
  readonly agents: PortalAgentMessages
}

/** What agents may do with a connection, and did; customers call them AI assistants. */
export interface PortalAgentMessages {
  /** Leads to the page, from the menu of a connection. */
  readonly link: string
  /** The accessible name of that link. */
  readonly ofAccount: TextTemplate<'tool' | 'account'>
  readonly ask: MessageTemplate<'tool' | 'workspace'>
  /** Of the choice. */
  readonly label: string
  readonly access: { readonly [Access in 'full' | 'read_only' | 'paused']: string }
  readonly save: string
  readonly saved: string
  /** The same choice, in the list of connections. */
  readonly restricted: { readonly [Access in 'read_only' | 'paused']: string }
  /** Heading of the latest requests. */
  readonly recent: string
  readonly none: string
  readonly read: string
  /** A request that may have changed something. */
  readonly changed: string
  readonly refused: string
  /** When a request was sent. */
  readonly at: TextTemplate<'at'>
  /** Heading of the programs that the customer has let use all of the connections. */
  readonly clients: string
  readonly endAccess: string
  /** The accessible name of that button. */
  readonly endAccessOf: TextTemplate<'client'>
}

/** The pages on which a customer's administrator enters an OAuth app. */
/** The pages on which a customer decides what an agent may send; they call it the assistant. */
export interface AgentMessages {
  /** Before the sign-in at the product. */
  readonly start: MessageTemplate<'workspace'>
  /** What the assistant wants to send. */
  readonly review: MessageTemplate<'workspace' | 'tool'>
  readonly as: TextTemplate<'account'>
  readonly details: string
  readonly content: string
  /** Instead of a content that is no text. */
  readonly file: TextTemplate<'count'>
  readonly allow: string
  readonly deny: string
  readonly allowed: MessageTemplate
  readonly denied: MessageTemplate
  /** Someone else is signed in than the person whom the assistant asks. */
  readonly wrongPerson: MessageTemplate<'workspace'>
  readonly ended: MessageTemplate
}

/** The page on which a customer lets an MCP client use their connections. */
export interface ConsentMessages {
  readonly ask: MessageTemplate<'client' | 'workspace'>
  /** Who has published what the client says of itself. */
  readonly from: TextTemplate<'host'>
  /** Instead of that, for a client that has registered itself. */
  readonly unverified: string
  /** Where the answer goes. */
  readonly to: TextTemplate<'host'>
  /** The answer goes to a program on this device. */
  readonly local: string
  /** The heading of the connections. */
  readonly accounts: TextTemplate<'workspace'>
  readonly noAccounts: string
  readonly more: string
  readonly allowRead: string
  readonly allowWrite: string
  /** A client has asked in a way that cannot be answered; the error follows. */
  readonly invalid: { readonly title: string; readonly body: string }
}

export interface SetupMessages {
  readonly start: MessageTemplate<'tool' | 'workspace'>
  readonly form: MessageTemplate<'tool' | 'workspace'>
  /** The heading of the steps in the tool. */
  readonly steps: TextTemplate<'tool'>
  /** The steps of tools whose spec has none. */
  readonly createApp: TextTemplate<'tool'>
  readonly enterAddress: string
  readonly copyDetails: string
  readonly redirectUri: string
  readonly redirectUriHelp: string
  readonly scopes: string
  /** The heading of the form. */
  readonly details: string
  readonly clientId: string
  readonly issuer: string
  readonly issuerHelp: string
  readonly noIssuer: string
  readonly clientSecret: string
  readonly clientSecretHelp: string
  readonly check: string
  readonly saveAnyway: string
  readonly note: TextTemplate<'tool'>
  readonly failed: string
  readonly problems: {
    readonly client: TextTemplate<'tool'>
    readonly unreachable: TextTemplate<'tool'>
    readonly redirectUri: TextTemplate<'tool'>
    readonly notAllowed: TextTemplate<'workspace'>
  }
  readonly saved: MessageTemplate<'tool' | 'workspace'>
  readonly connectNow: string
}

/** The sign-in page of the test tool, Acme Sandbox. */
export interface SandboxMessages {
  readonly title: string
  readonly body: string
  readonly access: string
  readonly as: (params: Pick<MessageParams, 'account'>) => string
  readonly deny: string
  readonly invalid: { readonly title: string; readonly body: string }
}

/**
 * What a host's page shows while the connect page is not loaded. `npm run generate` writes these texts of every language into
 * the client, which imports nothing from the server.
 */
export interface HostMessages {
  readonly title: string
  readonly loading: string
  readonly failed: string
  /** The page cannot be shown here: retrying does not help. */
  readonly notAllowed: string
  readonly close: string
}

export type CommonLabel =
  | 'access token'
  | 'account id'
  | 'account sid'
  | 'address'
  | 'admin api access token'
  | 'api access token'
  | 'data center'
  | 'account name'
  | 'access key'
  | 'private key'
  | 'private api key'
  | 'public key'
  | 'app id'
  | 'app api key'
  | 'instance'
  | 'workspace'
  | 'european union'
  | 'api key'
  | 'api secret'
  | 'api token'
  | 'application key'
  | 'auth token'
  | 'bot token'
  | 'client credentials'
  | 'client id'
  | 'client identifier'
  | 'client secret'
  | 'company domain'
  | 'consumer key'
  | 'consumer secret'
  | 'domain'
  | 'e-mail'
  | 'email'
  | 'email address'
  | 'enterprise id'
  | 'environment'
  | 'host'
  | 'key secret'
  | 'key sid'
  | 'name'
  | 'organization'
  | 'password'
  | 'personal access token'
  | 'personal api token'
  | 'personal token'
  | 'port'
  | 'project id'
  | 'public api token'
  | 'region'
  | 'scopes'
  | 'secret'
  | 'secret key'
  | 'secret or restricted key'
  | 'server'
  | 'server api token'
  | 'server to server'
  | 'service account'
  | 'service key'
  | 'service region'
  | 'site'
  | 'store'
  | 'store address'
  | 'subdomain'
  | 'tenant'
  | 'token'
  | 'url'
  | 'user id'
  | 'user name'
  | 'username'
  | 'australia'
  | 'canada'
  | 'china'
  | 'europe'
  | 'india'
  | 'japan'
  | 'saudi arabia'
  | 'united arab emirates'
  | 'united kingdom'
  | 'united states'
  | 'global'
  | 'demo'
  | 'live'
  | 'production'
  | 'sandbox'
  | 'standard'
