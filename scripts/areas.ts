/** A part of the server, and its members from top to bottom: folders, and files beside them without `.ts`. */
export interface Area {
  readonly name: string
  /** A member imports only from those after its own group. Members of one group may import one another. */
  readonly members: readonly (readonly string[])[]
}

/** From top to bottom: an area imports only from those after it. docs/architecture.md lists the same. */
export const AREAS: readonly Area[] = [
  {
    name: 'app',
    members: [
      ['operator'],
      ['start'],
      ['app'],
      ['app-services'],
      ['idempotency'],
      ['observability'],
      ['operations'],
      ['poozle-import'],
    ],
  },
  { name: 'privacy', members: [['erasure']] },
  {
    name: 'console',
    members: [
      ['routes'],
      ['join-routes'],
      ['sign-in-routes', 'live'],
      ['screens', 'sign-in-settings', 'sign-in-oidc'],
      ['sign-in-pages'],
      ['answer'],
      ['layout'],
      ['parts'],
      ['definition-names'],
      ['call-api', 'multipart-form', 'screen'],
      ['sign-in'],
      ['words'],
      ['browser'],
    ],
  },
  {
    name: 'connect',
    members: [
      ['agent-page'],
      ['connect-page'],
      ['oauth-flow'],
      ['attempts'],
      ['bulk-jobs'],
      ['connect-sessions'],
      ['links'],
    ],
  },
  {
    name: 'accounts',
    members: [['mcp'], ['mcp-client'], ['proxy'], ['agents'], ['upgrades'], ['accounts']],
  },
  {
    name: 'activity',
    members: [['webhooks'], ['audit'], ['requests'], ['statistics'], ['events']],
  },
  {
    name: 'integrations',
    members: [['oauth-apps'], ['acme-sandbox'], ['catalogue'], ['definitions'], ['oauth']],
  },
  {
    name: 'access',
    members: [
      ['members'],
      ['instance'],
      ['users'],
      ['tokens'],
      ['workspaces'],
      ['operations'],
      ['auth'],
    ],
  },
  {
    name: 'platform',
    members: [
      ['record'],
      ['vault'],
      ['storage'],
      ['ui'],
      ['i18n'],
      ['http'],
      ['errors', 'error-codes', 'error-meanings'],
      ['hourly-limiter', 'json', 'once', 'rounds', 'secret-name', 'set-bounded'],
      ['config'],
    ],
  },
]

/** The files that start a program: they import from every area. */
export const PROGRAMS: readonly string[] = ['cli', 'main']
